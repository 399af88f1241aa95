import type { Usage } from './capacity.ts';
import type { Database, StoreName, Transaction } from './database.ts';
import { patchesOf } from './patches.ts';
import { sizeOf } from './response-record.ts';

/** Each holds something of answers, and what they take is counted. */
export const ANSWERS: readonly StoreName[] = ['responses', 'bodies', 'patches', 'meta'];

/** Its name in `meta`: how many bytes the bodies of answers take, their logs included. */
export const BYTES = 'response-bytes';

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

/** The browser's quota is unknown: half of what there is goes, and at least as much as is needed. */
async function makeRoom(database: Database, needed: number): Promise<void> {
  await database.transact(ANSWERS, 'readwrite', async (transaction) => {
    const { bytes } = await usageIn(transaction);
    const goal = Math.max(0, Math.min(bytes / 2, bytes - needed));
    await evict(transaction, (usage) => usage.bytes <= goal, null);
  });
}

/** Removes the least recently received answers until it is enough; the one of key `spared` stays. */
export async function evict(
  transaction: Transaction<'readwrite'>,
  isEnough: (usage: Usage) => boolean,
  spared: string | null,
): Promise<void> {
  let usage = await usageIn(transaction);
  if (isEnough(usage)) return;
  let cursor = await transaction.objectStore('responses').index('receivedAt').openCursor();
  while (cursor && !isEnough(usage)) {
    if (cursor.primaryKey !== spared) {
      usage = { entries: usage.entries - 1, bytes: usage.bytes - sizeOf(cursor.value) };
      await erase(transaction, cursor.primaryKey);
    }
    cursor = await cursor.continue();
  }
  await transaction.objectStore('meta').put(usage.bytes, BYTES);
}

/** Removes all that lies of an answer; what it counted for is still to be subtracted. */
export async function erase(transaction: Transaction<'readwrite'>, key: IDBValidKey): Promise<void> {
  await Promise.all([
    transaction.objectStore('responses').delete(key),
    transaction.objectStore('bodies').delete(key),
    transaction.objectStore('patches').delete(patchesOf(key)),
  ]);
}

/** The bytes are counted as they come and go, since adding them up would read every record. */
export async function usageIn(
  transaction: Transaction<'readonly'> | Transaction<'readwrite'>,
): Promise<Usage> {
  const [entries, bytes] = await Promise.all([
    transaction.objectStore('responses').count(),
    transaction.objectStore('meta').get(BYTES),
  ]);
  return { entries, bytes: typeof bytes === 'number' ? bytes : 0 };
}

function isQuotaExceeded(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}
