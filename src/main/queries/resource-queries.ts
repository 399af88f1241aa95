import { isSafe } from '../../shared/invocation.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import type { OptimisticChanges } from '../optimistic/changes.ts';
import type { ResourceCalls } from '../resource/calls.ts';
import type { DeclaredActions } from '../resource/declared-actions.ts';
import type { Link } from '../resource/link.ts';
import type { Answered } from '../resource/listening.ts';
import type { Loop } from '../resource/loop.ts';
import type { LoopOrder, LoopPlan } from '../resource/loop-order.ts';
import { longPollPlan, pollPlan } from '../resource/loop-order.ts';
import type { ResourceLoops } from '../resource/loops.ts';
import { assertParams, copyParams, encodeParams, isPlainObject } from '../resource/params.ts';
import type { InputParams } from '../resource/params.ts';
import type { Asked } from '../resource/prepare.ts';
import { actionOptionsOf, assertQueryOptions, loopOf } from './options.ts';
import type { QueryOptions } from './options.ts';
import { Query } from './query.ts';
import type { QueryPorts, QueryRequest } from './query.ts';
import type { QueryRecord } from './record.ts';
import type { Snapshot } from './view.ts';

export interface ResourceQueriesPorts {
  readonly link: () => Link;
  readonly actions: DeclaredActions;
  readonly calls: ResourceCalls;
  readonly loops: ResourceLoops;
  readonly changes: OptimisticChanges;
  /** Which progress events of an action have listeners. */
  readonly interest: (action: string) => EventInterest;
}

/** The queries of one resource: one object for each action, parameters and options. */
export class ResourceQueries {
  readonly #ports: ResourceQueriesPorts;
  readonly #sameness = new Sameness();
  /** By what they are made of. A query that nobody holds need not be the same object the next time. */
  readonly #queries = new Map<string, WeakRef<Query>>();
  readonly #collected = new FinalizationRegistry((key: string) => this.#drop(key));
  /** The query of each action that was watched last. */
  readonly #watchedLast = new Map<string, { readonly snapshot: Snapshot }>();

  constructor(ports: ResourceQueriesPorts) {
    this.#ports = ports;
  }

  /**
   * The same object for the same action, equal parameters and equal options.
   * @throws what a call of the action would throw; TypeError or RangeError where an option is wrong.
   */
  query(name: string, params: InputParams | null | undefined, options: QueryOptions): Query {
    this.#ports.actions.get(name);
    assertParams(name, params);
    assertQueryOptions(name, options);
    const key = this.#sameness.textOf([name, namedParams(params ?? {}), options]);
    const known = this.#queries.get(key)?.deref();
    if (known) return known;
    const query = this.#make(name, key, copyParams(params ?? {}), options);
    this.#queries.set(key, new WeakRef(query));
    this.#collected.register(query, key);
    return query;
  }

  /**
   * True where the page may ask by itself for what a write has changed: by a method that changes nothing, and unless it is asked for
   * already. A request of a long-poll was made before that write, and its server may hold it for hours.
   */
  mayCatchUp(name: string, record: QueryRecord): boolean {
    const { actions, loops } = this.#ports;
    if (actions.isDisposed || record.isFetching || !isSafe(actions.get(name).method)) return false;
    return !loops.askingFor(record).some(({ keepsUp }) => keepsUp);
  }

  /** Asks for the same once more: a write has changed what the action has answered last. */
  catchUp(name: string, { record, asked }: Answered): void {
    if (this.mayCatchUp(name, record)) this.#prepare(name, { ...asked, renews: record }, true).send();
  }

  #make(name: string, key: string, params: InputParams, options: QueryOptions): Query {
    const {
      select,
      staleTime = 0,
      refreshOn = {},
      enabled = true,
      keepPrevious = false,
      data = null,
    } = options;
    const asked: Asked = { params, data, options: actionOptionsOf(options), encoded: null };
    const loop = this.#loopPlanOf(name, options);
    const plan = { select, staleTime, refreshOn, enabled, keepPrevious };
    return new Query(this.#portsOf(name, key, asked, loop), plan);
  }

  #portsOf(name: string, key: string, asked: Asked, loop: LoopPlan | null): QueryPorts {
    const { actions, calls, changes, link } = this.#ports;
    return {
      prepare: (renews, ...how) => this.#prepare(name, { ...asked, renews }, ...how),
      recordOf: (invocation) => link().records.of(invocation),
      mayCatchUp: (record) => this.mayCatchUp(name, record),
      result: (id) => calls.ledger.result(id),
      startLoop: loop && ((asks) => this.#startLoop(this.#orderOf(name, key, asked, loop), asks)),
      layered: () => changes.layered(name, () => encodeParams(asked.params)),
      follow: (reader) => changes.follow(name, reader),
      reading: () => {
        const declared = actions.find(name);
        return { declared: declared ?? asked, schema: declared?.options.response ?? null };
      },
      attach: (wake) =>
        link().records.attach((occasion) => {
          if (!actions.isDisposed) wake(occasion);
        }),
      previous: () => this.#watchedLast.get(name) ?? null,
      watched: (query) => void this.#watchedLast.set(name, query),
    };
  }

  #prepare(name: string, asked: Asked, revalidate = false, storedFirst = false): QueryRequest {
    const { actions, calls, loops, interest } = this.#ports;
    const link = this.#ports.link();
    const { prepared, call } = actions.request(name, asked, link, revalidate, storedFirst);
    const invocation = prepared.finish(readable(name, prepared.encoded));
    return {
      invocation,
      send: () => {
        const id = link.nextId();
        const isHeld = !!asked.renews && loops.askingFor(link.records.of(invocation)).length > 0;
        calls.start(
          { ...call, id, isHeld },
          { ...prepared, finish: () => invocation },
          link,
          interest(name),
          undefined,
        );
        return id;
      },
    };
  }

  #loopPlanOf(name: string, options: QueryOptions): LoopPlan | null {
    const loop = loopOf(options);
    if (!loop) return null;
    if (loop.kind === 'poll') return pollPlan(name, loop.options);
    return longPollPlan(name, loop.options, this.#ports.actions.get(name).options.timeout);
  }

  #orderOf(name: string, key: string, asked: Asked, { options, pace, following }: LoopPlan): LoopOrder {
    const { actions, interest } = this.#ports;
    const patient = { ...asked, options };
    return {
      action: name,
      // No loop that the app starts replaces that of a query.
      key: `query ${key}`,
      pace,
      prepare: (link) => actions.loopRequest(name, patient, following, link),
      interest: () => interest(name),
      isQuiet: false,
    };
  }

  #startLoop(order: LoopOrder, asks: Parameters<NonNullable<QueryPorts['startLoop']>>[0]): Loop {
    const prepare: LoopOrder['prepare'] = (link) => {
      const request = order.prepare(link);
      asks(request.prepared.finish(readable(order.action, request.prepared.encoded)));
      return request;
    };
    return this.#ports.loops.start({ ...order, prepare }, 0);
  }

  #drop(key: string): void {
    if (!this.#queries.get(key)?.deref()) this.#queries.delete(key);
  }
}

/** Parameters as they go into a URL, by name. */
function namedParams(params: InputParams): unknown {
  const named = encodeParams(params).map(([name, value]) => {
    const isMap = typeof value === 'object' && 'pairs' in value;
    return [name, isMap ? Object.fromEntries(value.pairs) : value];
  });
  return Object.fromEntries(named);
}

/** @throws TypeError where the body has to be read first: until then nobody knows what is asked. */
function readable<Body extends object>(name: string, encoded: Body | Promise<Body>): Body {
  if (!(encoded instanceof Promise)) return encoded;
  encoded.catch(() => {});
  throw new TypeError(`Data of the query of '${name}' must be text, an object or URLSearchParams`);
}

/**
 * Makes a text of a value, the same for values that are equal by their members, in whatever order these come. Functions
 * and instances of classes are equal to themselves alone; a member that is undefined is as none.
 */
export class Sameness {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  textOf(value: unknown): string {
    return JSON.stringify(this.#plain(value));
  }

  #plain(value: unknown): unknown {
    if (typeof value === 'bigint') return ['bigint', String(value)];
    if (typeof value === 'number' && !Number.isFinite(value)) return ['number', String(value)];
    if (value instanceof Date) return ['date', value.getTime()];
    if (Array.isArray(value)) return ['list', ...value.map((each) => this.#plain(each))];
    if (isPlainObject(value)) return this.#members(value);
    if (typeof value === 'function' || (typeof value === 'object' && value !== null))
      return ['object', this.#numberOf(value)];
    return value;
  }

  #members(value: Record<string, unknown>): unknown {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    return names.toSorted().map((name) => [name, this.#plain(value[name])]);
  }

  #numberOf(value: object): number {
    const number = this.#numbers.get(value) ?? (this.#last += 1);
    this.#numbers.set(value, number);
    return number;
  }
}
