import type { System } from '../system.ts';
import { Database } from './database.ts';
import { raiseGeneration } from './generation.ts';

/** The databases of all partitions: one each, whatever is stored in it. Nothing opens before the first use. */
export class Partitions {
  readonly #system: Pick<System, 'clock' | 'indexedDB'>;
  readonly #onMemory: (reason: string) => void;
  readonly #databases = new Map<string, Database>();

  /** `onMemory` is told when a database cannot be opened, and why: from then on all lives in memory only. */
  constructor(system: Pick<System, 'clock' | 'indexedDB'>, onMemory: (reason: string) => void) {
    this.#system = system;
    this.#onMemory = onMemory;
  }

  database(partition: string): Database {
    const known = this.#databases.get(partition);
    if (known) return known;
    const database = new Database(this.#system, partition, this.#onMemory);
    this.#databases.set(partition, database);
    return database;
  }

  /** Makes the partition's generation the caller's own; rejects where there is no database to keep it. */
  raiseGeneration(partition: string): Promise<number> {
    return raiseGeneration(this.database(partition));
  }
}
