import type { Clock } from '../platform/system.ts';
import type { Database } from './database.ts';
import { IdbLoops } from './idb-loops.ts';
import type { FeedEntry, LoopState, LoopStore } from '../contracts/loop-store.ts';
import { lookUp, lookUpAll } from '../contracts/response-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { EMPTY, extended, pruned, assertNotOvertaken, DAY, isForgotten } from './loop-shape.ts';
import type { FeedLog } from './loop-shape.ts';

interface Remembered {
  readonly record: LoopState;
  readonly log: FeedLog;
  readonly usedAt: number;
  readonly entries: readonly FeedEntry[];
}

/** The loops of one partition if there is no database, as long as the worker lasts. No other engine writes there. */
export class MemoryLoops {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #loops = new Map<string, Remembered>();
  #nextSweep = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async find(key: string): Promise<LoopState | null> {
    return this.#loops.get(key)?.record ?? null;
  }

  async save(record: LoopState): Promise<void> {
    const { log, entries } = this.#of(record, record.last);
    this.#keep(record, log, entries);
  }

  /** A copy, since the outcome goes on to pages and its body may be transferred. */
  async append(record: LoopState, entry: FeedEntry): Promise<number> {
    const { log, entries } = this.#of(record, entry.offset - 1);
    const longer = extended(log, entry.offset, entry.size);
    this.#keep(record, longer, [...entries, structuredClone(entry)]);
    return longer.first;
  }

  async entries(key: string, after: number, limit: number): Promise<readonly FeedEntry[]> {
    const found = this.#loops.get(key)?.entries ?? [];
    return structuredClone(found.filter(({ offset }) => offset > after).slice(0, Math.max(0, limit)));
  }

  async prune(key: string, upTo: number, patience: number): Promise<void> {
    const loop = this.#loops.get(key);
    const now = this.#clock.now();
    if (loop) this.#put({ ...loop, log: pruned(loop.log, upTo, now + patience, now) });
  }

  async clear(): Promise<void> {
    this.#loops.clear();
  }

  /** The log that the record names, expected to end at `known`; empty if that is a new log. */
  #of(record: LoopState, known: number): Pick<Remembered, 'log' | 'entries'> {
    const loop = this.#loops.get(record.key);
    assertNotOvertaken(loop?.record ?? null, record, known);
    return loop?.record.log === record.log ? loop : { log: EMPTY, entries: [] };
  }

  #keep(record: LoopState, log: FeedLog, entries: readonly FeedEntry[]): void {
    const now = this.#clock.now();
    this.#put({ record: structuredClone(record), log, entries, usedAt: now });
    this.#sweep(record.key, now);
  }

  /** Only the newest entries belong to the log. */
  #put({ entries, ...loop }: Remembered): void {
    const kept = entries.slice(entries.length - loop.log.sizes.length);
    this.#loops.set(loop.record.key, { ...loop, entries: kept });
  }

  /** Once a day, as in a database: not every save looks at all other loops. */
  #sweep(spared: string, now: number): void {
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + DAY;
    for (const [key, loop] of this.#loops) {
      if (key !== spared && isForgotten(loop, now)) this.#loops.delete(key);
    }
  }
}

/** The loops of one partition: in its database, or in memory once the database has given up. */
export class StoredLoops {
  readonly #database: Database;
  readonly #stored: IdbLoops;
  readonly #memory: MemoryLoops;

  constructor(clock: Pick<Clock, 'now'>, database: Database) {
    this.#database = database;
    this.#stored = new IdbLoops(clock, database);
    this.#memory = new MemoryLoops(clock);
  }

  find(key: string): Promise<Lookup<LoopState>> {
    return lookUp(async () => (await this.#storage()).find(key));
  }

  async save(record: LoopState, generation: number | null): Promise<void> {
    return (await this.#storage()).save(record, generation);
  }

  /** Resolves with the number of the oldest entry that is still there. */
  async append(record: LoopState, entry: FeedEntry, generation: number | null): Promise<number> {
    return (await this.#storage()).append(record, entry, generation);
  }

  entries(key: string, after: number, limit: number): Promise<Lookup<readonly FeedEntry[]>> {
    return lookUpAll(async () => (await this.#storage()).entries(key, after, limit));
  }

  async prune(key: string, upTo: number, patience: number, generation: number | null): Promise<void> {
    return (await this.#storage()).prune(key, upTo, patience, generation);
  }

  /** Removes all states and feeds. Rejects if the storage fails. */
  async clear(): Promise<void> {
    await (await this.#storage()).clear();
  }

  async #storage(): Promise<IdbLoops | MemoryLoops> {
    return (await this.#database.connect()) === null ? this.#memory : this.#stored;
  }
}

/** The lock of the acting engine, as far as it guards writes. */
interface Owner {
  write<T>(read: number | null, work: (own: number | null) => Promise<T>): Promise<T>;
}

/** The store as the engine of that lock may use it: every engine reads, only the owner writes. */
export function owned(store: LoopStore, owner: Owner): LoopStore {
  return {
    find: (key) => store.find(key),
    entries: (key, after, limit) => store.entries(key, after, limit),
    save: (record, read) => owner.write(read, (own) => store.save(record, own)),
    append: (record, entry, read) => owner.write(read, (own) => store.append(record, entry, own)),
    prune: (key, upTo, patience, read) => owner.write(read, (own) => store.prune(key, upTo, patience, own)),
  };
}
