import type { Database, Transaction } from './database.ts';

/** Its name in `meta`. */
const GENERATION = 'generation';

/** A transaction was begun by an engine that no longer acts; it is aborted and leaves nothing behind. */
export class StaleGeneration extends Error {
  override readonly name = 'StaleGeneration';

  constructor(own: number, stored: number) {
    super(`Another engine acts: the generation is ${stored}, this engine's own is ${own}`);
  }
}

/** Raises the generation, which is then the caller's own. Whoever had the one before may write no more. */
export function raiseGeneration(database: Database): Promise<number> {
  return database.transact(['meta'], 'readwrite', async (transaction) => {
    const raised = (await storedGeneration(transaction)) + 1;
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
