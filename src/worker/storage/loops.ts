import type { Clock } from '../platform/system.ts';
import type { Database } from './database.ts';
import { IdbLoops } from './idb-loops.ts';
import type { FeedEntry, LoopState, LoopStore } from '../contracts/loop-store.ts';
import { lookUp, lookUpAll } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { MemoryLoops } from './memory-loops.ts';

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
