import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { ABSENT } from '../contracts/response-store.ts';
import type { Lookup, StoredResponse } from '../contracts/response-store.ts';
import type { Clock, System } from '../platform/system.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { Pauses } from '../platform/pauses.ts';
import { Deferred } from '../platform/waiting.ts';
import { BatchSize, Rest, isDescription, isLarge, joined, nextOf, removalOf, settle } from './waiting.ts';
import { Uses } from './answer-writer.ts';
import { isQuotaExceeded } from './eviction.ts';
import type { Order, Waiting, WrittenTo } from './waiting.ts';

/** Milliseconds until a late database is written to again, for the first time. */
const FIRST_PAUSE = 1_000;

/** Bytes that may wait while pages go first, and while all are patient: more would soon find no room and be lost. */
const MOST_HELD_BACK: number = LIMITS.waitingSize * (3 / 4);
const MOST_AT_REST: number = LIMITS.waitingSize / 2;

/**
 * Writes answers to the database in the background, so that telling them does not wait. One small transaction is out at
 * a time, the newest answers first; of each answer only the newest is written. Waiting answers are found as if stored.
 */
export class WriteBehind {
  readonly #clock: Clock;
  readonly #pause: System['pause'];
  readonly #storage: () => Promise<WrittenTo>;
  readonly #giveWay: () => Promise<void>;
  readonly #uses: Uses;
  readonly #waiting = new Map<string, Waiting>();
  readonly #writing = new Map<string, Waiting>();
  /** Removals that failed: their answers are not found, and are removed once the database writes again. */
  readonly #outdated = new RecentlyUsed<string, Waiting>(LIMITS.outdated);
  /** Bytes of all that waits, without `#large`. */
  #bytes = 0;
  /** The only waiting answer that is larger than all others together may be. */
  #large: Waiting | null = null;
  readonly #batch = new BatchSize();
  readonly #rest: Rest;
  #isRunning = false;
  /** Why the last write has to be tried again; null if it has not. */
  #late: DatabaseLate | null = null;
  /** Writing and clearing take turns. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Resolves once everything that was ordered so far is settled. */
  #settled: Promise<unknown> = Promise.resolve();

  /** Between two transactions it waits for `giveWay`, unless too much waits already. */
  constructor(
    { clock, pause }: Pick<System, 'clock' | 'pause'>,
    place: () => Promise<WrittenTo>,
    giveWay: () => Promise<void>,
    uses: Uses = new Uses(clock),
  ) {
    this.#clock = clock;
    this.#pause = pause;
    this.#storage = place;
    this.#giveWay = giveWay;
    this.#uses = uses;
    this.#rest = new Rest(clock);
  }

  /** Null if nothing waits under the key: then the storage has the answer. */
  find(key: string): Lookup<StoredResponse> | null {
    const waiting = this.#of(key);
    if (!waiting) return null;
    return waiting.stored ? { kind: 'found', value: waiting.stored } : ABSENT;
  }

  /** Null if the bytes of that revision do not wait. A copy, since the caller may transfer it to a page. */
  body({ key, revision }: StoredResponse): ArrayBuffer | null {
    const waiting = [this.#waiting.get(key), this.#writing.get(key)];
    const isIt = (each: Waiting | undefined): boolean =>
      !!each?.body && !!each.stored && isSameRevision(each.stored.revision, revision);
    return waiting.find(isIt)?.body?.slice(0) ?? null;
  }

  /**
   * The keys that `read` finds in the database, at most `limit` after `after`, and the waiting keys between them.
   * Waiting keys are collected first: one that is written meanwhile is found twice, never missed.
   */
  async keys(after: string | null, limit: number, read: () => Promise<string[]>): Promise<string[]> {
    const waiting = [...this.#writing.values(), ...this.#waiting.values()].filter(({ stored }) => stored);
    const found = await read();
    const last = found.length < limit ? null : (found.at(-1) ?? null);
    const between = waiting
      .map(({ key }) => key)
      .filter((key) => (after === null || key > after) && (last === null || key <= last));
    return [...new Set([...found, ...between])].toSorted();
  }

  /** Resolves, once that is known, with true if it or something newer is stored. Never rejects. */
  add(order: Order): Promise<boolean> {
    this.#batch.count();
    const before = this.#waiting.get(order.key) ?? this.#outdated.peek(order.key);
    const { promise: isStored, resolve: over } = new Deferred<boolean>();
    const settled = this.#settled;
    this.#settled = settled.then(() => isStored);
    if (before && !this.#outdated.delete(order.key)) this.#take(before);
    const next = nextOf(before, order, { usedAt: this.#uses.now(), over });
    this.#keep(next, order.isPatient);
    this.#makeRoom(next);
    if (this.#late?.isOver === false) settle(next, false);
    if (!this.#isRunning) void this.#run();
    return isStored;
  }

  /** Resolves once all that was ordered so far is written, given up for now, or has made room. Never rejects. */
  async settled(): Promise<void> {
    this.#rest.end();
    await this.#settled;
  }

  /**
   * Empties the storage: nothing ordered before is written after that, nor put back; orders from now on are written
   * afterwards. Rejects with what `empty` rejects with; what was ordered before is then lost.
   */
  async clear(empty: () => Promise<unknown>): Promise<void> {
    const before = [...this.#waiting.values(), ...this.#writing.values()];
    for (const waiting of this.#waiting.values()) this.#take(waiting);
    this.#writing.clear();
    for (const waiting of before) settle(waiting, false);
    try {
      await this.#inTurn(empty);
      this.#outdated.clear();
    } catch (error) {
      for (const waiting of before) this.#lose(waiting);
      if (!this.#isRunning) void this.#run();
      throw error;
    }
  }

  /** One after the other, even if those before failed. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #of(key: string): Waiting | undefined {
    return this.#waiting.get(key) ?? this.#outdated.peek(key) ?? this.#writing.get(key);
  }

  #keep(waiting: Waiting, isPatient = false): void {
    if (!isPatient || this.#bytes > MOST_AT_REST) this.#rest.end();
    this.#waiting.set(waiting.key, waiting);
    if (!isLarge(waiting)) return void (this.#bytes += waiting.bytes);
    const before = this.#large;
    this.#large = waiting;
    if (before) this.#lose(before);
  }

  #take(waiting: Waiting): void {
    this.#waiting.delete(waiting.key);
    if (!isLarge(waiting)) this.#bytes -= waiting.bytes;
    else if (this.#large === waiting) this.#large = null;
  }

  /**
   * Drops waiting answers that do not fit beside the newest. The stored ones before them go too, since newer ones were
   * told; removals that do not fit either are outdated.
   */
  #makeRoom(newest: Waiting): void {
    for (const waiting of this.#waiting.values()) {
      if (this.#bytes <= LIMITS.waitingSize) return;
      if (waiting !== newest && !isLarge(waiting)) this.#lose(waiting);
    }
  }

  #lose(waiting: Waiting): void {
    const { stored, key, orders } = waiting;
    const since = this.#waiting.get(key);
    if (since === waiting) this.#take(waiting);
    else if (since && isDescription(since)) return this.#lose(this.#joinedBy(since, waiting));
    for (const order of orders) order.lost();
    // A newer order has come since, or was lost since: what is outdated by that includes this.
    const isSuperseded = this.#waiting.has(key) || this.#outdated.peek(key) !== undefined;
    if (stored && !isSuperseded) return this.#keep(removalOf(stored, waiting));
    if (!isSuperseded) this.#outdate(waiting);
    settle(waiting, false);
  }

  /** It is still stored, but must not be served (invariant 8). */
  #outdate(removal: Waiting): void {
    this.#outdated.set(removal.key, { ...removal, overs: [], lost: [] });
  }

  /** The database writes again: another try to remove what is outdated. */
  #removeOutdated(): void {
    for (const removal of this.#outdated.values()) this.#keep(removal);
    this.#outdated.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const pauses = new Pauses(this.#clock, FIRST_PAUSE);
    // Orders of one turn are written together, and other work goes first.
    await this.#pause();
    while (this.#waiting.size > 0) {
      await this.#rest.over();
      this.#late = await this.#inTurn(() => this.#write(this.#next()));
      if (this.#late) {
        this.#giveUpWaiting();
        await pauses.after(this.#late);
      } else pauses.reset();
      if (this.#waiting.size > 0 && this.#bytes <= MOST_HELD_BACK) await this.#giveWay();
      await this.#pause();
    }
    this.#isRunning = false;
  }

  /** Callers do not wait for a late database: what waits will not be stored soon. */
  #giveUpWaiting(): void {
    for (const waiting of this.#waiting.values()) settle(waiting, false);
  }

  #next(): Waiting[] {
    const batch = this.#batch.of([...this.#waiting.values()]);
    if (batch.length === this.#waiting.size) this.#rest.begin();
    return batch;
  }

  /** Not null if the database is late. */
  async #write(batch: readonly Waiting[]): Promise<DatabaseLate | null> {
    for (const waiting of batch) {
      this.#take(waiting);
      this.#writing.set(waiting.key, waiting);
    }
    const began = this.#clock.now();
    const late = await this.#carryOut(batch);
    const took = late ? Infinity : this.#clock.now() - began;
    this.#batch.heed({ written: batch.length, left: this.#waiting.size, took });
    this.#writing.clear();
    return late;
  }

  /** Puts back what a late database did not write, unless cleared since. If one of many fails, each is tried alone. */
  async #carryOut(orders: readonly Waiting[], isWorthRoom = true): Promise<DatabaseLate | null> {
    const batch = orders.filter((waiting) => this.#isWriting(waiting));
    if (batch.length === 0) return null;
    try {
      await (await this.#storage()).carryOut(batch, isWorthRoom);
    } catch (error) {
      if (error instanceof DatabaseLate) {
        this.#putAllBack(batch);
        return error;
      }
      // Others have given way to all of them together already.
      if (batch.length > 1) return this.#carryOutEach(batch, !isQuotaExceeded(error));
      for (const waiting of batch) if (this.#isWriting(waiting)) this.#lose(waiting);
      return null;
    }
    for (const waiting of batch) settle(waiting, true);
    this.#removeOutdated();
    return null;
  }

  #isWriting(waiting: Waiting): boolean {
    return this.#writing.get(waiting.key) === waiting;
  }

  async #carryOutEach(batch: readonly Waiting[], isWorthRoom: boolean): Promise<DatabaseLate | null> {
    let late: DatabaseLate | null = null;
    for (const each of batch) late = (await this.#carryOut([each], isWorthRoom)) ?? late;
    return late;
  }

  /** Before what was told since. */
  #putAllBack(batch: readonly Waiting[]): void {
    const since = [...this.#waiting];
    for (const waiting of batch.toReversed()) if (this.#isWriting(waiting)) this.#putBack(waiting);
    for (const [key, waiting] of since) {
      if (this.#waiting.get(key) !== waiting) continue;
      this.#waiting.delete(key);
      this.#waiting.set(key, waiting);
    }
  }

  #putBack(waiting: Waiting): void {
    settle(waiting, false);
    const since = this.#waiting.get(waiting.key) ?? this.#outdated.peek(waiting.key);
    if (since && !isDescription(since)) return;
    const next = since ? this.#joinedBy(since, waiting) : waiting;
    // The large answer that was told since is newer.
    if (isLarge(next) && this.#large) this.#lose(next);
    else this.#keep(next);
  }

  /** A waiting description is of no use without the answer it describes, which was being written. */
  #joinedBy(since: Waiting, before: Waiting): Waiting {
    this.#take(since);
    return joined(before, since);
  }
}
