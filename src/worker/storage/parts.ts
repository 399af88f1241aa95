import { LIMITS } from '../../shared/limits.ts';
import { DatabaseLate, onceAnswered } from '../platform/database-deadline.ts';
import type { Clock } from '../platform/system.ts';
import type { Database } from './database.ts';
import { OUTSIDE } from './transaction.ts';
import type { ReadableStore, SealedStoreName, StoreName, Transaction } from './transaction.ts';

// What one transaction is given, which must end in time.

/** How many, and of how many bytes, go into one transaction. One alone may have more. */
const MOST = 64;
const BYTES = 262_144;

/** In parts that are each small enough, in their order. */
export function partsOf<T>(all: readonly T[], bytesOf: (each: T) => number, most: number = MOST): T[][] {
  const parts: T[][] = [];
  let bytes = Infinity;
  for (const each of all) {
    const size = bytesOf(each);
    const part = parts.at(-1);
    if (part && part.length < most && bytes + size <= BYTES) {
      part.push(each);
      bytes += size;
    } else {
      parts.push([each]);
      bytes = size;
    }
  }
  return parts;
}

/**
 * Does that for each part; where it fails for one, for each of that alone. A late database is waited for in between. Where that does
 * not answer, nothing more is tried. Rejects at the end with what failed first.
 */
export async function inParts<T>(
  clock: Clock,
  parts: readonly (readonly T[])[],
  work: (part: readonly T[]) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      await onceAnswered(clock, () => work(part));
    } catch (error) {
      if (part.length > 1 && !isRefused(error)) {
        const each = part.map((one) => [one]);
        await inParts(clock, each, work).catch((one: unknown) => errors.push(one));
      } else errors.push(error);
      if (isRefused(error)) break;
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** The database has been late before, and is so still. */
function isRefused(error: unknown): boolean {
  return error instanceof DatabaseLate && error.again !== undefined;
}

/** Milliseconds: a transaction that takes longer is followed by a smaller one, and one that takes no longer by a larger one. */
const LONG: number = LIMITS.transaction / 2;
const SHORT: number = LIMITS.transaction / 16;

/** How many records the first transaction reads, and the largest one. */
const FIRST = 64;
const HIGHEST = 1_024;

/** The fewest where none was late: on a busy disk the smallest transaction takes long, too. */
const FEWEST = 8;

/**
 * How many records one transaction reads whose sizes nobody knows: as many as are read in a small part of its time. Small ones are read
 * by thousands, since each transaction has its price, and large ones one by one.
 */
export class ReadSize {
  readonly #clock: Clock;
  readonly #highest: number;
  #most: number;
  /** Grows no further: half of what was late, though small ones come before the large ones. */
  #ceiling: number;

  constructor(clock: Clock, first: number = FIRST, highest: number = HIGHEST) {
    this.#clock = clock;
    [this.#most, this.#highest, this.#ceiling] = [first, highest, highest];
  }

  /** One transaction, which reads so many at most. `isFull`: it has read as many, so that there may be more. */
  async read<T>(work: (most: number) => Promise<readonly T[]>): Promise<Read<T>> {
    const most = this.#most;
    const began = this.#clock.now();
    try {
      const found = await work(most);
      const took = Math.abs(this.#clock.now() - began);
      const isFull = found.length >= most;
      if (took > LONG) this.#most = Math.min(most, Math.max(half(most), FEWEST));
      else if (took <= SHORT && isFull) this.#most = Math.min(2 * most, this.#ceiling);
      return { found, isFull };
    } catch (error) {
      if (error instanceof DatabaseLate && !isRefused(error)) this.#most = this.#ceiling = half(most);
      throw error;
    }
  }

  /** All `read` that were wanted are read. The next time, more may be read at once; that fewer were in time says nothing of more. */
  end(read: number): void {
    if (read >= this.#ceiling) this.#ceiling = Math.min(2 * this.#ceiling, this.#highest);
  }
}

interface Read<T> {
  readonly found: readonly T[];
  readonly isFull: boolean;
}

function half(most: number): number {
  return Math.max(1, Math.floor(most / 2));
}

/**
 * All records of a store, in the order of their keys, by several transactions. So they are not from one moment: one that is added or
 * removed meanwhile may be found or not, and one that changes is found as it was or as it is. One that is there all the time is found
 * once, since no record changes its key. No caller needs more: what one transaction has read may have changed, too, before it is used.
 * Null stands for one that cannot be read.
 */
export async function readAll(database: Database, name: SealedStoreName, size: ReadSize): Promise<unknown[]> {
  const all: Stored[] = [];
  for (let isFull = true; isFull;) {
    const after = all.at(-1)?.key ?? null;
    const part = await size.read((most) => readAfter(database, name, after, most));
    for (const each of part.found) all.push(each);
    ({ isFull } = part);
  }
  size.end(all.length);
  return all.map(({ value }) => value);
}

/** A record, and its key; null where it cannot be read. */
export interface Stored {
  readonly key: IDBValidKey;
  readonly value: unknown;
}

/** The records behind that key, `most` at most. One that cannot be read, as its file is gone, takes no other along. */
export async function readAfter(
  database: Database,
  name: SealedStoreName,
  after: IDBValidKey | null,
  most: number,
): Promise<Stored[]> {
  const [key = ''] = OUTSIDE[name];
  const range = after === null ? null : IDBKeyRange.lowerBound(after, true);
  const read = <T>(work: (store: ReadableStore) => Promise<T[]>): Promise<T[]> =>
    database.transact([name], 'readonly', (transaction) => work(transaction.objectStore(name)));
  try {
    const found = await read((store) => store.getAll(range, most));
    return found.map((value) => ({ key: Object(value)[key], value }));
  } catch (error) {
    if (error instanceof DatabaseLate) throw error;
  }
  const keys = await read((store) => store.getAllKeys(range, most));
  const found = await readTogether(database, [name], keys, (transaction, each) =>
    transaction.objectStore(name).get(each),
  );
  return keys.map((each, index) => ({ key: each, value: found[index] ?? null }));
}

/** What belongs to each of these, in their order, by several transactions; to the first of them alone where that `isEnough`. */
export async function readEach<T, R>(
  all: readonly T[],
  size: ReadSize,
  read: (part: readonly T[]) => Promise<readonly R[]>,
  isEnough: (found: readonly R[]) => boolean = () => false,
): Promise<R[]> {
  const found: R[] = [];
  while (found.length < all.length && !isEnough(found)) {
    const part = await size.read((most) => read(all.slice(found.length, found.length + most)));
    for (const each of part.found) found.push(each);
  }
  size.end(found.length);
  return found;
}

/**
 * Reads what belongs to each of these, in their order, in one transaction. Where that fails, and not because it was late, each is read
 * alone, and null stands for one that cannot be read. Rejects where the database itself cannot be read.
 */
export async function readTogether<T, R>(
  database: Database,
  stores: readonly StoreName[],
  all: readonly T[],
  read: (transaction: Transaction<'readonly'>, one: T) => Promise<R>,
): Promise<(R | null)[]> {
  const together = (some: readonly T[]): Promise<R[]> =>
    database.transact(stores, 'readonly', (transaction) =>
      Promise.all(some.map((one) => read(transaction, one))),
    );
  try {
    return await together(all);
  } catch (error) {
    if (error instanceof DatabaseLate) throw error;
  }
  const found: (R | null)[] = [];
  for (const one of all)
    try {
      found.push(...(await together([one])));
    } catch (error) {
      await assertOfData(database, stores, error);
      found.push(null);
    }
  return found;
}

/** How browsers say that they have the record, and not what is in it: Chromium lays a large value into a file of its own, which may be gone. */
const OF_DATA = ['DataError', 'NotReadableError'];

/** Rejects with that error, unless the record that was read alone is to blame. Firefox gives it no name: then other reading must succeed. */
async function assertOfData(database: Database, stores: readonly StoreName[], error: unknown): Promise<void> {
  const name = error instanceof Error ? error.name : '';
  if (OF_DATA.includes(name)) return;
  if (name !== 'UnknownError') throw error;
  await database.transact(stores, 'readonly', (transaction) =>
    Promise.all(stores.map((each) => transaction.objectStore(each).getAllKeys(null, 1))),
  );
}
