import type { CacheInspection } from '../../shared/inspection.ts';
import type { System } from '../system.ts';
import type { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { MemoryResponses } from './memory-responses.ts';
import type { Partitions } from './partitions.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';

/** One partition's answers: in its database, or in memory once the database has given up. */
interface Partition {
  readonly database: Database;
  readonly stored: IdbResponses;
  readonly memory: MemoryResponses;
}

/** The stored answers of all partitions. */
export class Responses {
  readonly #system: Pick<System, 'clock' | 'digest' | 'pause'>;
  readonly #databases: Pick<Partitions, 'database'>;
  readonly #partitions = new Map<string, Partition>();

  constructor(system: Pick<System, 'clock' | 'digest' | 'pause'>, databases: Pick<Partitions, 'database'>) {
    this.#system = system;
    this.#databases = databases;
  }

  async find(partition: string, key: string): Promise<ResponseRecord | null> {
    return (await this.#answersOf(partition)).find(key);
  }

  async keys(partition: string): Promise<string[]> {
    return (await this.#answersOf(partition)).keys();
  }

  async body(partition: string, record: ResponseRecord): Promise<ArrayBuffer | null> {
    return (await this.#answersOf(partition)).body(record);
  }

  async update(partition: string, key: string, decide: Decide): Promise<RecordChange> {
    return (await this.#answersOf(partition)).update(key, decide);
  }

  async remove(partition: string, key: string): Promise<void> {
    return (await this.#answersOf(partition)).remove(key);
  }

  async clear(partition: string): Promise<void> {
    return (await this.#answersOf(partition)).clear();
  }

  async salt(partition: string, candidate: string): Promise<string> {
    return (await this.#answersOf(partition)).salt(candidate);
  }

  /** Looking does not open what is closed. */
  async inspect(partition: string): Promise<CacheInspection> {
    const { database, stored, memory } = this.#of(partition);
    const { mode } = database;
    if (mode === 'closed') return { mode, entries: 0, bytes: 0 };
    return { mode, ...(await (mode === 'memory' ? memory : stored).usage()) };
  }

  async #answersOf(partition: string): Promise<IdbResponses | MemoryResponses> {
    const { database, stored, memory } = this.#of(partition);
    return (await database.connect()) === null ? memory : stored;
  }

  #of(name: string): Partition {
    const known = this.#partitions.get(name);
    if (known) return known;
    const database = this.#databases.database(name);
    const stored = new IdbResponses(this.#system, database);
    const partition = { database, stored, memory: new MemoryResponses() };
    this.#partitions.set(name, partition);
    return partition;
  }
}
