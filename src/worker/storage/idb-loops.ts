import type { Clock } from '../platform/system.ts';
import type { Database, StoreName, Transaction } from './database.ts';
import { withRoom } from './eviction.ts';
import {
  EMPTY,
  extended,
  pruned,
  assertNotOvertaken,
  DAY,
  isForgotten,
  intactEntry,
  intactLoop,
} from './loop-shape.ts';
import type { FeedLog, StoredLoop } from './loop-shape.ts';
import { assertGeneration } from './partitions.ts';
import type { FeedEntry, LoopState } from '../contracts/loop-store.ts';

/** `loops` and `feeds` hold the parts of a feed; the generation in `meta` says which engine may write. */
const STORES: readonly StoreName[] = ['loops', 'feeds', 'meta'];

type Writing = Transaction<'readwrite'>;

/**
 * The states and feeds of one partition's loops, in its database. All calls reject when the database fails. A write
 * with a generation rejects with `StaleGeneration` if another engine acts.
 */
export class IdbLoops {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #database: Database;
  #nextSweep = 0;

  constructor(clock: Pick<Clock, 'now'>, database: Database) {
    this.#clock = clock;
    this.#database = database;
  }

  async find(key: string): Promise<LoopState | null> {
    const found: unknown = await this.#database.transact(['loops'], 'readonly', (transaction) =>
      transaction.objectStore('loops').get(key),
    );
    const stored = intactLoop(found);
    if (found !== undefined && stored === null) await this.#removeDamaged(key);
    return stored?.record ?? null;
  }

  async save(record: LoopState, generation: number | null): Promise<void> {
    await this.#keep(record.key, 0, generation, async (transaction) =>
      put(transaction, this.#used(record, await logOf(transaction, record, record.last))),
    );
  }

  append(record: LoopState, entry: FeedEntry, generation: number | null): Promise<number> {
    return this.#keep(record.key, entry.size, generation, async (transaction) => {
      const log = extended(await logOf(transaction, record, entry.offset - 1), entry.offset, entry.size);
      await transaction.objectStore('feeds').put({ ...entry, key: record.key });
      await put(transaction, this.#used(record, log));
      return log.first;
    });
  }

  async entries(key: string, after: number, limit: number): Promise<readonly FeedEntry[]> {
    let found = await this.#read(key, after, limit);
    while (found.includes(null)) {
      await this.#removeDamagedEntries(key);
      found = await this.#read(key, after, limit);
    }
    return found.filter((entry) => entry !== null);
  }

  async prune(key: string, upTo: number, patience: number, generation: number | null): Promise<void> {
    await this.#write(generation, (transaction) => {
      const now = this.#clock.now();
      return prune(transaction, key, (log) => pruned(log, upTo, now + patience, now));
    });
  }

  async clear(): Promise<void> {
    await this.#database.transact(['loops', 'feeds'], 'readwrite', (transaction) =>
      Promise.all([transaction.objectStore('loops').clear(), transaction.objectStore('feeds').clear()]),
    );
  }

  #used(record: LoopState, log: FeedLog): StoredLoop {
    return { key: record.key, record, log, usedAt: this.#clock.now() };
  }

  /** Null in the place of each damaged entry. */
  async #read(key: string, after: number, limit: number): Promise<(FeedEntry | null)[]> {
    // For IndexedDB a limit of 0 means no limit.
    if (limit < 1) return [];
    const range = IDBKeyRange.bound([key, after], end(key), true);
    const found: unknown[] = await this.#database.transact(['feeds'], 'readonly', (transaction) =>
      transaction.objectStore('feeds').getAll(range, limit),
    );
    return found.map(intactEntry);
  }

  /** A write that makes room for itself: forgotten loops go, and answers if the browser has no more room. */
  async #keep<T>(
    key: string,
    size: number,
    generation: number | null,
    work: (transaction: Writing) => Promise<T>,
  ): Promise<T> {
    const now = this.#clock.now();
    const sweeps = now >= this.#nextSweep;
    const write = (): Promise<T> =>
      this.#write(generation, async (transaction) => {
        if (sweeps) await sweep(transaction, now, key);
        return work(transaction);
      });
    const result = await withRoom(this.#database, { bytes: () => size, insists: true }, write);
    if (sweeps) this.#nextSweep = now + DAY;
    return result;
  }

  #write<T>(generation: number | null, work: (transaction: Writing) => Promise<T>): Promise<T> {
    return this.#database.transact(STORES, 'readwrite', async (transaction) => {
      if (generation !== null) await assertGeneration(transaction, generation);
      return work(transaction);
    });
  }

  /** Any engine may remove damage, so no generation is asked for. It is read again, since it may be gone by now. */
  async #removeDamaged(key: string): Promise<void> {
    await this.#write(null, async (transaction) => {
      const found: unknown = await transaction.objectStore('loops').get(key);
      if (intactLoop(found) === null) await remove(transaction, key);
    });
  }

  /** The older ones go too: a reader must not pass over a missing answer without noticing. */
  async #removeDamagedEntries(key: string): Promise<void> {
    await this.#write(null, async (transaction) => {
      const feeds = transaction.objectStore('feeds');
      const range = IDBKeyRange.bound([key], end(key));
      const [keys, values] = await Promise.all([feeds.getAllKeys(range), feeds.getAll(range)]);
      const damaged = values.findLastIndex((value) => intactEntry(value) === null);
      const upTo = Math.ceil(numberIn(keys[damaged]));
      await prune(transaction, key, (log) => pruned(log, upTo, 0, 0));
    });
  }
}

/** The index of the log that the record names, expected to end at `known`; empty if that is a new log. */
async function logOf(transaction: Writing, record: LoopState, known: number): Promise<FeedLog> {
  const stored = intactLoop(await transaction.objectStore('loops').get(record.key));
  assertNotOvertaken(stored?.record ?? null, record, known);
  return stored?.record.log === record.log ? stored.log : EMPTY;
}

/** Stores the record with what is known of its log, and removes entries that do not belong to it. */
async function put(transaction: Writing, loop: StoredLoop): Promise<void> {
  const { key, log } = loop;
  const feeds = transaction.objectStore('feeds');
  await Promise.all([
    transaction.objectStore('loops').put(loop),
    feeds.delete(IDBKeyRange.bound([key], [key, log.first], false, true)),
    feeds.delete(IDBKeyRange.bound([key, log.first + log.sizes.length], end(key))),
  ]);
}

async function prune(transaction: Writing, key: string, shorter: (log: FeedLog) => FeedLog): Promise<void> {
  const stored = intactLoop(await transaction.objectStore('loops').get(key));
  if (stored) await put(transaction, { ...stored, log: shorter(stored.log) });
  else await remove(transaction, key);
}

async function remove(transaction: Writing, key: IDBValidKey): Promise<void> {
  await Promise.all([
    transaction.objectStore('loops').delete(key),
    transaction.objectStore('feeds').delete(IDBKeyRange.bound([key], end(key))),
  ]);
}

/** Removes forgotten and damaged loops, but not the one of key `spared`, which is in use. */
async function sweep(transaction: Writing, now: number, spared: string): Promise<void> {
  const loops = transaction.objectStore('loops');
  const [keys, values] = await Promise.all([loops.getAllKeys(), loops.getAll()]);
  const gone = keys.filter((key, index) => {
    const stored = intactLoop(values[index]);
    return key !== spared && (stored === null || isForgotten(stored, now));
  });
  await Promise.all(gone.map((key) => remove(transaction, key)));
}

/** Above all entries of that key: IndexedDB sorts a list above every number. */
function end(key: IDBValidKey): IDBValidKey {
  return [key, []];
}

/** An entry without a number belongs to no log, and goes with the others that do not. */
function numberIn(key: IDBValidKey | undefined): number {
  const n: unknown = Array.isArray(key) ? key[1] : null;
  return typeof n === 'number' ? n : 0;
}
