import { Query } from '../queries/query.ts';
import type { QueryRecord } from '../queries/record.ts';
import type { RestError } from '../error.ts';
import type { InputParams } from '../resource/params.ts';
import type { Pulse } from '../resource/rest-resource.ts';
import type { Notice } from '../resource/notice.ts';

/** The part of a success that makes a model; an event, a notice or a query brings it. */
export type Success = Pick<
  Notice,
  'id' | 'response' | 'isEmpty' | 'revision' | 'servedFrom' | 'stale' | 'age' | 'asOf'
>;

/** A store that follows one query. */
export interface QueryListener {
  readonly succeed: (success: Success) => void;
  readonly fail: (error: RestError) => void;
  /** The page goes on with another identity. */
  readonly forget: () => void;
}

/**
 * Tells a store of one query alone. Calls and loops of the query bring its answers; by itself it asks only for what a write has
 * changed.
 */
export class QueryFollower {
  readonly #query: Query;

  constructor(pulse: Pick<Pulse, 'query'>, action: string, params: InputParams) {
    this.#query = pulse.query(action, params, { enabled: false });
  }

  get record(): QueryRecord | null {
    return Query.recordOf(this.#query);
  }

  /** Tells what is known, and what comes; the returned function ends that. */
  follow(listener: QueryListener): () => void {
    const leave = Query.keepUp(this.#query, () => this.#tell(listener));
    this.#tell(listener);
    return leave;
  }

  #tell({ succeed, fail, forget }: QueryListener): void {
    const { data, error, status, stale, servedFrom, answeredAt } = this.#query.snapshot;
    if (status === 'pending') return forget();
    if (status === 'success') {
      const revision = this.record?.newest?.revision ?? null;
      const age = answeredAt === null ? 0 : (Date.now() - answeredAt) / 1_000;
      // The query knows what its answers contain.
      const told = { response: data, isEmpty: data === null, revision, servedFrom, stale, age };
      succeed({ id: 0, ...told, asOf: Infinity });
    }
    if (error) fail(error);
  }
}
