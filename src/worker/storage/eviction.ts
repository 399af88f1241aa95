import type { Database, StoreName, Transaction } from './database.ts';
import { deltasOf } from './stored-body.ts';
import { sizeOf } from './response-record.ts';

/** What an answer's metadata counts for, so that many answers without a body do not grow without bound. */
export const METADATA = 1024;

/** Each holds something of answers, and what they take is counted. */
export const ANSWERS: readonly StoreName[] = ['responses', 'bodies', 'patches', 'meta'];

/** Its name in `meta`: how many answers there are, and the bytes that their bodies take, their logs included. */
export const USAGE = 'response-usage';

/** Answers that one look for the least recently used takes. */
const SLICE = 64;

/** Answers that one transaction removes to make room for something else. */
const MOST_REMOVED = 512;

/**
 * Writes, and where the browser has no more room, once more without some of the answers: they can be had again, so they
 * give way to everything else. `needed` says then how many bytes were to be written.
 */
export async function withRoom<T>(
  database: Database,
  needed: () => number,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isQuotaExceeded(error)) throw error;
    await makeRoom(database, needed());
    return await write();
  }
}

/**
 * The browser's quota is unknown: half of what there is goes, and at least as much as is needed. In transactions of which
 * each ends in time, however many answers there are.
 */
async function makeRoom(database: Database, needed: number): Promise<void> {
  let goal: number | null = null;
  let usage: Usage;
  do {
    usage = await database.transact(ANSWERS, 'readwrite', async (transaction) => {
      const before = await usageIn(transaction);
      const enough = (goal ??= Math.max(0, Math.min(before.bytes / 2, before.bytes - needed)));
      const isEnough = ({ bytes, entries }: Usage): boolean =>
        bytes <= enough || entries <= before.entries - MOST_REMOVED;
      const after = await evict(transaction, before, isEnough);
      await transaction.objectStore('meta').put(after, USAGE);
      return after;
    });
  } while (usage.bytes > (goal ?? 0) && usage.entries > 0);
}

/**
 * Removes the least recently used answers until it is enough, and says what is left; those of the keys `spared` stay.
 * Where all are gone and it is still not enough, what was counted was wrong, and is counted anew.
 */
export async function evict(
  transaction: Transaction<'readwrite'>,
  before: Usage,
  isEnough: (usage: Usage) => boolean,
  spared: ReadonlySet<IDBValidKey> = new Set(),
): Promise<Usage> {
  const index = transaction.objectStore('responses').index('usedAt');
  let usage = before;
  while (!isEnough(usage)) {
    const found: unknown[] = await index.getAll(null, SLICE + spared.size);
    const keys = found.map(keyOf);
    const victims = found.filter((_each, at) => !spared.has(keys[at] ?? ''));
    if (victims.length === 0) return usageOf(found);
    const erased: Promise<void>[] = [];
    for (const victim of victims) {
      if (isEnough(usage)) break;
      usage = { entries: usage.entries - 1, bytes: usage.bytes - sizeOf(victim) };
      erased.push(erase(transaction, keyOf(victim)));
    }
    await Promise.all(erased);
  }
  return usage;
}

/** Removes all that lies of an answer; what it counted for is still to be subtracted. */
export async function erase(transaction: Transaction<'readwrite'>, key: IDBValidKey): Promise<void> {
  await Promise.all([
    transaction.objectStore('responses').delete(key),
    transaction.objectStore('bodies').delete(key),
    transaction.objectStore('patches').delete(deltasOf(key)),
  ]);
}

/**
 * Kept as they come and go: to count them would walk all of them, and to add them up would read them. Where it is missing
 * or cannot be, as before the first answer, it is counted.
 */
export async function usageIn(
  transaction: Transaction<'readonly'> | Transaction<'readwrite'>,
): Promise<Usage> {
  const stored: unknown = await transaction.objectStore('meta').get(USAGE);
  const { entries, bytes } = Object(stored);
  const isIntact = [entries, bytes].every((each) => Number.isSafeInteger(each) && each >= 0);
  return isIntact ? { entries, bytes } : countAll(transaction);
}

async function countAll(transaction: Transaction<'readonly'> | Transaction<'readwrite'>): Promise<Usage> {
  let [entries, bytes] = [0, 0];
  let range: IDBKeyRange | null = null;
  for (;;) {
    const found: unknown[] = await transaction.objectStore('responses').getAll(range, COUNTED);
    const { entries: more, bytes: size } = usageOf(found);
    [entries, bytes] = [entries + more, bytes + size];
    if (found.length < COUNTED) return { entries, bytes };
    range = IDBKeyRange.lowerBound(keyOf(found.at(-1)), true);
  }
}

/** Answers that are read at a time where they are counted. */
const COUNTED = 500;

function usageOf(found: readonly unknown[]): Usage {
  return { entries: found.length, bytes: found.reduce<number>((sum, each) => sum + sizeOf(each), 0) };
}

function keyOf(value: unknown): string {
  return String(Object(value).key);
}

function isQuotaExceeded(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

export interface Usage {
  readonly entries: number;
  /** Of bodies, their logs included. */
  readonly bytes: number;
}

export function fits({ entries, bytes }: Usage, capacity: number): boolean {
  return bytes + entries * METADATA <= capacity;
}

/** Refuses what would not fit even if it were alone. */
export function refuseOversized(size: number, capacity: number): void {
  if (!fits({ entries: 1, bytes: size }, capacity)) {
    throw new RangeError(`An answer of ${size} bytes is larger than the whole cache of ${capacity}`);
  }
}
