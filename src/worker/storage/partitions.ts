import type { System } from '../platform/system.ts';
import { Database } from './database.ts';
import type { TellStorage } from '../contracts/storage-news.ts';
import type { Transaction } from './database.ts';
import { StaleGeneration } from '../platform/stale-generation.ts';

/** Its name in `meta`. */
const GENERATION = 'generation';

/** The databases of all partitions, one each. Nothing opens before the first use. */
export class Partitions {
  readonly #system: Pick<System, 'clock' | 'indexedDB'>;
  readonly #scope: string;
  readonly #tell: TellStorage;
  readonly #databases = new Map<string, Database>();

  /** `scope` is the path of the engine's scope: two apps of one origin share no database. */
  constructor(system: Pick<System, 'clock' | 'indexedDB'>, scope: string, tell: TellStorage) {
    this.#system = system;
    this.#scope = scope;
    this.#tell = tell;
  }

  database(partition: string): Database {
    const known = this.#databases.get(partition);
    if (known) return known;
    const database = new Database(this.#system, `${this.#scope}#${partition}`, this.#tell);
    this.#databases.set(partition, database);
    return database;
  }

  /** Raises the partition's generation above `above` for the caller; null if there is no database to keep it. */
  async raiseGeneration(partition: string, above = 0): Promise<number | null> {
    const database = this.database(partition);
    return (await database.connect()) === null ? null : raiseGeneration(database, above);
  }
}

/**
 * Raises the generation above the stored one and `above`; it is then the caller's own. An engine with an earlier one
 * must not write any more, not even after the stored one was deleted.
 */
export function raiseGeneration(database: Database, above = 0): Promise<number> {
  return database.transact(['meta'], 'readwrite', async (transaction) => {
    const raised = Math.max(await storedGeneration(transaction), above) + 1;
    await transaction.objectStore('meta').put(raised, GENERATION);
    return raised;
  });
}

/**
 * Await this first in every transaction that only the acting engine may make: `Database.transact`
 * aborts the transaction if this throws.
 * @throws StaleGeneration if the generation is no longer the caller's own.
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
