import type { CacheInspection } from '../../shared/inspection.ts';
import type { System } from '../system.ts';
import { Database } from './database.ts';
import { raiseGeneration } from './generation.ts';
import { IdbResponses } from './idb-responses.ts';
import { MemoryResponses } from './memory-responses.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';

/** One partition's answers: in its database, or in memory once the database has given up. */
interface Partition {
  readonly database: Database;
  readonly stored: IdbResponses;
  readonly memory: MemoryResponses;
}

/** The stored answers of all partitions. Nothing opens before the first use. */
export class Responses {
  readonly #system: Pick<System, 'clock' | 'indexedDB'>;
  readonly #onMemory: (reason: string) => void;
  readonly #partitions = new Map<string, Partition>();

  /** `onMemory` is told when a database cannot be opened, and why: from then on answers live in memory only. */
  constructor(system: Pick<System, 'clock' | 'indexedDB'>, onMemory: (reason: string) => void) {
    this.#system = system;
    this.#onMemory = onMemory;
  }

  async find(partition: string, key: string): Promise<ResponseRecord | null> {
    return (await this.#answersOf(partition)).find(key);
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

  /** Makes the partition's generation the caller's own; rejects where there is no database to keep it. */
  async raiseGeneration(partition: string): Promise<number> {
    return raiseGeneration(this.#of(partition).database);
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
    const database = new Database(this.#system, name, this.#onMemory);
    const partition = { database, stored: new IdbResponses(database), memory: new MemoryResponses() };
    this.#partitions.set(name, partition);
    return partition;
  }
}
