import type { System } from '../platform/system.ts';
import { Database } from './database.ts';
import type { StorageNews } from './database.ts';
import { raiseGeneration } from './generation.ts';

/** The databases of all partitions: one each, whatever is stored in it. Nothing opens before the first use. */
export class Partitions {
  readonly #system: Pick<System, 'clock' | 'indexedDB'>;
  readonly #scope: string;
  readonly #tell: StorageNews;
  readonly #databases = new Map<string, Database>();

  /** `scope` is the path of the scope whose engine this is: two apps of one origin share no database. */
  constructor(system: Pick<System, 'clock' | 'indexedDB'>, scope: string, tell: StorageNews) {
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

  /**
   * Makes the partition's generation the caller's own, above the one given; null where there is no database to keep it.
   */
  async raiseGeneration(partition: string, above = 0): Promise<number | null> {
    const database = this.database(partition);
    return (await database.connect()) === null ? null : raiseGeneration(database, above);
  }
}
