import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import { isTesting } from '../../shared/standard-schema.ts';
import { inDevelopment, freeze } from '../development.ts';
import { messageOf } from '../../shared/failure.ts';
import { RestError } from '../error.ts';
import type { Layered } from '../optimistic/layered.ts';
import { share } from '../patch/heirs.ts';
import type { Notice } from '../resource/notice.ts';
import { validate } from '../resource/validate.ts';
import type { Newest, QueryRecord, Reply } from './record.ts';
import { selected } from './view.ts';
import type { Select, Snapshot } from './view.ts';

/** How an action reads the answers of its query. */
export interface Reading {
  readonly declared: object;
  readonly schema: StandardSchemaV1 | null;
}

/** What one query object makes of the answers of its record: validated by its action, and selected. */
export class Shown<Data> {
  readonly #reading: () => Reading;
  readonly #select: Select | undefined;
  /** The answers under the writes that they do not contain yet. */
  readonly layered: Layered;
  /** The answer that was looked at last. */
  #basis: Newest | null = null;
  /** The response of which the data were made. */
  #response: unknown;
  #isEmpty = false;
  /** What `select` was applied to. */
  #selectedOf: unknown;
  #data: Data | null = null;
  #hasData = false;
  /** The newest answer has failed its schema; null where it has passed. */
  #error: RestError | null = null;
  /** `select` has thrown this for the present data. A pending write may be the reason, and may be taken back. */
  #refusal: RestError | null = null;

  constructor(reading: () => Reading, select: Select | undefined, layered: Layered) {
    this.layered = layered;
    this.#reading = reading;
    this.#select = select;
  }

  get data(): Data | null {
    return this.#data;
  }

  get hasData(): boolean {
    return this.#hasData;
  }

  get error(): RestError | null {
    return this.#error ?? this.#refusal;
  }

  reset(): void {
    this.#basis = null;
    this.layered.reset();
    this.#response = undefined;
    this.#selectedOf = undefined;
    this.#data = null;
    this.#hasData = false;
    this.#error = null;
    this.#refusal = null;
  }

  /** Takes an answer. Where a schema needs time, `later` is called once the answer has been taken. */
  take(reply: Reply, later: () => void): void {
    const { notice, record, novelty, received, isWhole, declared } = reply;
    const isAnswer = notice.type === 'success' || notice.error?.code === 'schema';
    if (!isAnswer || !isWhole || novelty === 'older') return;
    this.#basis = record.newest;
    const reading = this.#reading();
    if (declared === reading.declared) return this.#read(notice);
    // Another action has asked, perhaps with another schema.
    const own = { ...notice, type: 'success', response: received, error: null } as const;
    const judged = validate(own, reading.schema, LIMITS.timeout);
    if (judged instanceof Promise) void this.#readLater(judged, later);
    else this.#readOther(judged);
  }

  /** Takes what the record knows already, where this action has told it or needs no schema. */
  catchUp(record: QueryRecord): void {
    const { newest, held } = record;
    if (!newest || newest === this.#basis) return;
    const { declared, schema } = this.#reading();
    const view = record.viewOf(declared);
    const isTold = view.response !== undefined && isSame(view.revision, newest.revision);
    const known = isTold ? { received: view.response, isEmpty: false } : held;
    if (!known || (!isTold && isTesting(schema ?? undefined))) return;
    this.#basis = newest;
    this.#show(known.received, newest.asOf, known.isEmpty);
  }

  /** `placeholder` stands for the data before there are any; null for none. */
  snapshot(record: QueryRecord | null, placeholder: Data | null): Snapshot<Data> {
    const newest = (this.#hasData && record?.newest) || null;
    const error = this.error ?? record?.error ?? null;
    const isPlaceholder = !this.#hasData && placeholder !== null && error === null;
    return {
      data: isPlaceholder ? placeholder : this.#data,
      error,
      status: this.#hasData || isPlaceholder ? 'success' : error ? 'error' : 'pending',
      fetching: record?.isFetching ?? false,
      stale: newest?.stale ?? false,
      answeredAt: newest?.answeredAt ?? null,
      servedFrom: newest?.servedFrom ?? null,
      placeholder: isPlaceholder,
    };
  }

  async #readLater(judging: Promise<Notice>, later: () => void): Promise<void> {
    const basis = this.#basis;
    const judged = await judging;
    if (this.#basis !== basis) return;
    this.#readOther(judged);
    later();
  }

  /** What a schema made here shares its equal parts with what it made before. */
  #readOther(judged: Notice): void {
    const response = isTesting(this.#reading().schema ?? undefined)
      ? share(this.#response, judged.response, new Map())
      : judged.response;
    this.#read({ ...judged, response });
  }

  #read({ error, response, asOf, isEmpty }: Notice): void {
    if (error) this.#error = error;
    else this.#show(response, asOf, isEmpty && response === null);
  }

  /** Writes that answers may not contain yet have changed. */
  refresh(): void {
    if (!this.#basis) return;
    this.layered.refresh();
    this.#makeData();
  }

  /** An empty answer keeps the data of before. */
  #show(response: unknown, asOf: number, isEmpty: boolean): void {
    this.#error = null;
    if (isEmpty && this.#hasData) {
      this.layered.passOver(asOf);
      return;
    }
    inDevelopment(() => freeze(response));
    this.#response = response;
    this.#isEmpty = isEmpty;
    this.layered.take(isEmpty ? null : response, asOf);
    this.#makeData();
  }

  #makeData(): void {
    const { value } = this.layered;
    this.#refusal = null;
    if (this.#hasData && value === this.#selectedOf) return;
    inDevelopment(() => freeze(value));
    try {
      this.#data = this.#isEmpty && value === null ? null : selected(this.#select, value, this.#data);
      this.#selectedOf = value;
      this.#hasData = true;
    } catch (cause) {
      this.#refusal = refusal(cause);
    }
  }
}

/** A function that throws has not accepted the answer. */
function refusal(cause: unknown): RestError {
  const message = `'select' threw at the answer: ${messageOf(cause)}`;
  return new RestError({ code: 'schema', message, issues: [{ message: messageOf(cause), path: [] }] }, cause);
}

function isSame(one: Revision | null, other: Revision | null): boolean {
  return one === other || (!!one && !!other && isSameRevision(one, other));
}

/** The promise of a query's first data. */
export class Loading<Data> {
  #waiting: Waiting<Data> | null = null;

  /** The present promise, else a new one, for which `begin` makes the query load; it returns what ends that. */
  wait(begin: () => () => void): Promise<Data> {
    if (this.#waiting) return this.#waiting.promise;
    let settle: Omit<Waiting<Data>, 'promise' | 'end'> | null = null;
    const promise = handled(new Promise<Data>((resolve, reject) => (settle = { resolve, reject })));
    if (settle) this.#waiting = Object.assign(settle, { promise, end: begin() });
    return promise;
  }

  resolve(data: Data): void {
    this.#end()?.resolve(data);
  }

  reject(error: unknown): void {
    this.#end()?.reject(error);
  }

  #end(): Waiting<Data> | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.end();
    return waiting;
  }
}

interface Waiting<Data> {
  readonly promise: Promise<Data>;
  readonly resolve: (data: Data) => void;
  readonly reject: (error: unknown) => void;
  readonly end: () => void;
}

/** The promise itself; a rejection that nobody waits for is not reported. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
