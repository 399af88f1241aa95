import { StaleGeneration } from '../platform/stale-generation.ts';
import type { Database, Transaction } from './database.ts';

/** Its name in `meta`. */
const GENERATION = 'generation';

/**
 * Raises the generation above the stored one and the one given, which is then the caller's own. An engine that had one
 * before may write no more, not even after the stored one was deleted.
 */
export function raiseGeneration(database: Database, above = 0): Promise<number> {
  return database.transact(['meta'], 'readwrite', async (transaction) => {
    const raised = Math.max(await storedGeneration(transaction), above) + 1;
    await transaction.objectStore('meta').put(raised, GENERATION);
    return raised;
  });
}

/**
 * To be awaited first in every transaction that only the acting engine may make (design section 5.7):
 * `Database.transact` aborts it where this throws.
 * @throws StaleGeneration where the generation is not the caller's own any more.
 */
export async function assertGeneration(
  transaction: Transaction<'readonly'> | Transaction<'readwrite'>,
  own: number,
): Promise<void> {
  const stored = await storedGeneration(transaction);
  if (stored !== own) throw new StaleGeneration(own, stored);
}

async function storedGeneration(
  transaction: Transaction<'readonly'> | Transaction<'readwrite'>,
): Promise<number> {
  const stored: unknown = await transaction.objectStore('meta').get(GENERATION);
  return typeof stored === 'number' && Number.isSafeInteger(stored) ? stored : 0;
}
