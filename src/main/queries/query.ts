import type { Invocation } from '../../shared/invocation.ts';
import type { RestError } from '../error.ts';
import type { OptimisticReader } from '../optimistic/changes.ts';
import type { Layered } from '../optimistic/layered.ts';
import type { Loop } from '../resource/loop.ts';
import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { rangeOf } from '../store/window-source.ts';
import { QueryWindow } from './window.ts';
import { isWorthAsking } from './records.ts';
import type { AskingRule, Occasion } from './records.ts';
import { Loading, handled, Shown } from './shown.ts';
import { told, NOTHING, nextSnapshot } from './view.ts';
import type { QueryRecord, RecordWatcher, Reply } from './record.ts';
import type { Reading } from './shown.ts';
import type { Snapshot, Select } from './view.ts';

/** One request of a query, which is sent when it is told to. */
export interface QueryRequest {
  readonly invocation: Invocation;
  /** Sends it; returns the id of the call. */
  readonly send: () => number;
}

/** What a query needs of its resource. */
export interface QueryPorts {
  /**
   * Makes a request, with the callbacks and headers of this moment. Throws what a call would throw. `renews`: see `Asked`.
   */
  readonly prepare: (renews?: QueryRecord, revalidate?: boolean, storedFirst?: boolean) => QueryRequest;
  readonly recordOf: (invocation: Invocation) => QueryRecord;
  /** True where it may ask by itself for what a write has changed. */
  readonly mayCatchUp: (record: QueryRecord) => boolean;
  readonly result: (id: number) => Promise<unknown>;
  /** Starts the loop of the query, and names what it asks, now and after each restart; null for no loop. */
  readonly startLoop: ((asks: (invocation: Invocation) => void) => Loop) | null;
  readonly reading: () => Reading;
  /** What shows its answers under the writes that they do not contain yet. */
  readonly layered: () => Layered;
  /** Tells that reader when such writes change. */
  readonly follow: (reader: OptimisticReader) => () => void;
  /** Calls `wake` on each occasion; the returned function ends that. */
  readonly attach: (wake: (occasion: Occasion) => void) => () => void;
  /** The query of this action that was watched last before `query`. */
  readonly previous: () => { readonly snapshot: Snapshot } | null;
  readonly watched: (query: { readonly snapshot: Snapshot }) => void;
}

export interface QueryPlan extends AskingRule {
  readonly select: Select | undefined;
  readonly keepPrevious: boolean;
}

/**
 * What is asked for, and what the page knows of it. It loads while somebody subscribes to it. All queries, calls, loops
 * and stores that ask the same share one record.
 */
export class Query<Data = unknown> {
  readonly #ports: QueryPorts;
  readonly #plan: QueryPlan;
  readonly #shown: Shown<Data>;
  readonly #subscribers = new Set<Subscriber>();
  readonly #watcher: RecordWatcher;
  readonly #loading = new Loading<Data>();
  /** Those that were asked for last. */
  readonly #windows = new RecentlyUsed<string, QueryWindow<RowOf<Data>>>(LIMITS.arrangements);
  #snapshot: Snapshot<Data> = NOTHING;
  /** What it asked last; null where that is another user's. */
  #asked: Invocation | null;
  /** The record that it watches; null while nobody subscribes. */
  #record: QueryRecord | null = null;
  #placeholder: Data | null = null;
  #ends: (() => void)[] = [];
  #loop: Loop | null = null;

  constructor(ports: QueryPorts, plan: QueryPlan) {
    this.#ports = ports;
    this.#plan = plan;
    this.#shown = new Shown(ports.reading, plan.select, ports.layered());
    this.#asked = ports.prepare().invocation;
    this.#watcher = {
      hear: (reply) => this.#hear(reply),
      changed: () => this.#update(),
      ended: () => this.#forget(),
    };
  }

  /** What is known now. The same object until one of its members changes. */
  get snapshot(): Snapshot<Data> {
    if (!this.#record) this.#look();
    return this.#snapshot;
  }

  /**
   * Resolves with the first data; rejects with the first error where there are none. Where nobody subscribes, it makes
   * the query load once. A rejection that nobody waits for is not reported.
   */
  get loaded(): Promise<Data> {
    if (!this.#record) this.#look();
    if (this.#shown.hasData) return Promise.resolve(dataOf(this.#shown));
    return this.#loading.wait(() => this.subscribe(() => {}));
  }

  /**
   * Calls the listener whenever `snapshot` has become another object, not at once. The first subscriber makes the query
   * load; when the last has gone, it rests. The returned function ends the subscription. Bound.
   */
  readonly subscribe = (listener: () => void): (() => void) =>
    this.#subscribe({ listener, keepsUp: this.#plan.enabled });

  /** The same. Meanwhile the query asks for what a write has changed, even where it is disabled. */
  static keepUp<Data>(query: Query<Data>, listener: () => void): () => void {
    const leave = query.#subscribe({ listener, keepsUp: true });
    query.#catchUp();
    return leave;
  }

  #subscribe(subscriber: Subscriber): () => void {
    if (!this.#record) this.#begin();
    this.#askOn('mount');
    // Last, so that it is not called at once.
    this.#subscribers.add(subscriber);
    return () => this.#leave(subscriber);
  }

  /**
   * Asks the server, even where the answer is fresh or the query disabled. Resolves with the new data; rejects with a
   * RestError, which is not reported where nobody waits for it.
   */
  refresh(): Promise<Data> {
    return this.#resultOf(this.#send(true));
  }

  /** The record of what it asks; null after a change of identity, until it asks again. */
  static recordOf<Data>(query: Query<Data>): QueryRecord | null {
    return query.#record ?? (query.#asked && query.#ports.recordOf(query.#asked));
  }

  /**
   * Some rows of the data, which must be a list, as a query of their own: the same object for the same rows. The whole
   * answer comes to the page; a store's window has the worker send its rows alone.
   * @throws TypeError where one is not a number; RangeError where it is not a whole number from 0, or too large.
   */
  window(start: number, count: number): QueryWindow<RowOf<Data>> {
    const range = rangeOf(start, count);
    const key = `${range.start} ${range.count}`;
    const window = this.#windows.get(key) ?? new QueryWindow<RowOf<Data>>(this, range);
    this.#windows.set(key, window);
    return window;
  }

  /** Asks where a new subscriber would make it ask. */
  static prefetch<Data>(query: Query<Data>): Promise<Data> {
    return query.#prefetch();
  }

  #prefetch(): Promise<Data> {
    if (!this.#record) this.#look();
    return this.#isWorthAsking('mount') ? this.#resultOf(this.#send(false)) : this.loaded;
  }

  async #resultLater(id: number): Promise<Data> {
    await this.#ports.result(id);
    if (!this.#record) this.#look();
    if (this.#shown.error) throw this.#shown.error;
    return dataOf(this.#shown);
  }

  #resultOf(id: number): Promise<Data> {
    return handled(this.#resultLater(id));
  }

  #begin(): void {
    const { attach, follow, startLoop, recordOf } = this.#ports;
    this.#look();
    this.#asked ??= this.#ports.prepare().invocation;
    this.#follow(recordOf(this.#asked));
    this.#ends.push(
      attach((occasion) => this.#wake(occasion)),
      follow({
        layered: this.#shown.layered,
        changed: () => this.#relayer(),
        outdated: (at) => this.#outdate(at),
      }),
    );
    if (startLoop && this.#plan.enabled) this.#loop = startLoop((invocation) => this.#nowAsks(invocation));
    this.#ports.watched(this);
  }

  #leave(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    // In a microtask: who goes from one query to another, or comes back at once, should not make it load anew.
    queueMicrotask(() => {
      if (this.#subscribers.size === 0) this.#rest();
    });
  }

  #rest(): void {
    if (!this.#record) return;
    this.#record = null;
    this.#placeholder = null;
    this.#loop?.stop();
    this.#loop = null;
    for (const end of this.#ends.splice(0)) end();
  }

  /** Watches this record instead of the one before. */
  #follow(record: QueryRecord): void {
    if (record === this.#record) return;
    const [before] = this.#ends.splice(0, 1);
    // The data of before stand in until there are others, where headers have changed that are part of what is asked.
    if (this.#record) this.#moveOn(this.#shown.data);
    this.#record = record;
    this.#ends.unshift(record.watch(this.#watcher));
    before?.();
    this.#shown.catchUp(record);
    this.#update();
  }

  #moveOn(placeholder: Data | null): void {
    this.#shown.reset();
    this.#placeholder = placeholder;
  }

  #nowAsks(invocation: Invocation): void {
    const record = this.#ports.recordOf(invocation);
    if (this.#asked && record !== this.#ports.recordOf(this.#asked) && !this.#record) this.#moveOn(null);
    this.#asked = invocation;
    if (this.#record) this.#follow(record);
  }

  #wake(occasion: Occasion): void {
    if (this.#loop && occasion === 'identity') this.#loop.restart();
    else this.#askOn(occasion);
  }

  #askOn(occasion: Occasion): void {
    if (this.#isWorthAsking(occasion)) this.#send(false);
  }

  #isWorthAsking(occasion: Occasion): boolean {
    if (this.#ports.startLoop) return false;
    const record = Query.recordOf(this);
    const { isBehind } = this.#shown.layered;
    // What a write has changed since is old, however young it is.
    const answeredAt = isBehind ? -Infinity : (record?.newest?.answeredAt ?? null);
    const standing = { hasData: this.#shown.hasData, isFetching: record?.isFetching ?? false, answeredAt };
    return isWorthAsking(occasion, this.#plan, standing, Date.now());
  }

  #send(revalidate: boolean, renews?: QueryRecord): number {
    const storedFirst = !revalidate && !this.#shown.hasData;
    const { invocation, send } = this.#ports.prepare(renews, revalidate, storedFirst);
    this.#nowAsks(invocation);
    return send();
  }

  #hear(reply: Reply): void {
    this.#shown.take(reply, () => this.#settle(null));
    this.#settle(reply.notice.error);
    // It was asked for too early, perhaps.
    if (reply.notice.type === 'success' && reply.notice.servedFrom === 'network') this.#catchUp();
  }

  /** Writes that answers may not contain yet have changed. */
  #relayer(): void {
    this.#shown.refresh();
    this.#update();
    this.#catchUp();
  }

  #outdate(at: number): void {
    this.#shown.layered.outdate(at);
    if (this.#plan.enabled) this.#catchUp();
  }

  /** Asks where no answer says yet what a write has changed. */
  #catchUp(): void {
    const record = this.#record;
    const isWanted = [...this.#subscribers].some(({ keepsUp }) => keepsUp);
    if (isWanted && record && this.#shown.layered.isBehind && this.#ports.mayCatchUp(record))
      this.#send(true, record);
  }

  /** A request has ended, perhaps with this error. */
  #settle(error: RestError | null): void {
    this.#update();
    const reason = this.#shown.error ?? error;
    if (this.#shown.hasData) this.#loading.resolve(dataOf(this.#shown));
    else if (reason) this.#loading.reject(reason);
  }

  /** The page goes on with another identity. */
  #forget(): void {
    this.#asked = null;
    this.#moveOn(null);
    this.#update();
  }

  /** Catches up with the record, which it does not watch. */
  #look(): void {
    const record = this.#asked && this.#ports.recordOf(this.#asked);
    if (record?.isEnded) this.#asked = null;
    if (!record || record.isEnded) this.#moveOn(null);
    else this.#shown.catchUp(record);
    this.#shown.refresh();
    if (this.#plan.keepPrevious && !this.#shown.hasData) this.#placeholder = this.#previous;
    this.#snapshot = nextSnapshot(this.#snapshot, this.#shown.snapshot(record, this.#placeholder));
  }

  get #previous(): Data | null {
    const previous = this.#ports.previous();
    return previous && previous !== this ? placeholderOf(this.#shown, previous.snapshot.data) : null;
  }

  #update(): void {
    const before = this.#snapshot;
    this.#snapshot = nextSnapshot(before, this.#shown.snapshot(this.#record, this.#placeholder));
    if (this.#snapshot === before) return;
    const subscribers = [...this.#subscribers];
    for (const subscriber of subscribers) if (this.#subscribers.has(subscriber)) told(subscriber.listener);
  }
}

/** A list's rows, as far as the compiler knows them. */
export type RowOf<Data> = Data extends readonly (infer Row)[] ? Row : unknown;

interface Subscriber {
  readonly listener: () => void;
  /** True where it wants what a write has changed. */
  readonly keepsUp: boolean;
}

/** An answer without a body has no data, although it is an answer. */
function dataOf<Data>(shown: Shown<Data>): Data;
function dataOf(shown: Shown<unknown>): unknown {
  return shown.data;
}

/** The compiler cannot know that the queries of one action have data of one kind. */
function placeholderOf<Data>(shown: Shown<Data>, data: unknown): Data | null;
function placeholderOf(_shown: Shown<unknown>, data: unknown): unknown {
  return data;
}
