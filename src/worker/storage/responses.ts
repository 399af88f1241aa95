import { LIMITS } from '../../shared/limits.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import { inTime } from '../platform/waiting.ts';
import { foundIn, lookUp, lookUpAll } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import type { System } from '../platform/system.ts';
import type { Usage } from './eviction.ts';
import type { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { MemoryResponses } from './memory-responses.ts';
import type { Partitions } from './partitions.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { WriteBehind } from './write-behind.ts';
import type { Order } from './waiting.ts';

/** One partition's answers: in its database, or in memory once the database has given up. */
interface Partition {
  readonly database: Database;
  readonly stored: IdbResponses;
  readonly memory: MemoryResponses;
  readonly behind: WriteBehind;
}

export class Responses {
  readonly #system: Pick<System, 'clock' | 'digest' | 'pause'>;
  readonly #databases: Pick<Partitions, 'database'>;
  readonly #giveWay: () => Promise<void>;
  readonly #partitions = new Map<string, Partition>();

  /** Writes in the background wait for `giveWay` between transactions, unless too much waits already. */
  constructor(
    system: Pick<System, 'clock' | 'digest' | 'pause'>,
    databases: Pick<Partitions, 'database'>,
    giveWay: () => Promise<void> = async () => {},
  ) {
    this.#system = system;
    this.#databases = databases;
    this.#giveWay = giveWay;
  }

  /** Answers on their way to the storage are found as if they were there. */
  async find(partition: string, key: string): Promise<Lookup<StoredResponse>> {
    const { behind } = this.#of(partition);
    const stored = behind.find(key) ?? (await lookUp(async () => (await this.#storage(partition)).find(key)));
    // It may have been ordered meanwhile.
    return behind.find(key) ?? stored;
  }

  /** At most `limit` keys after `after`, in order, and those between them that are on their way to the storage. */
  keys(partition: string, after: string | null, limit: number): Promise<Lookup<readonly string[]>> {
    const read = async (): Promise<string[]> => (await this.#storage(partition)).keys(after, limit);
    return lookUpAll(() => this.#of(partition).behind.keys(after, limit, read));
  }

  async body(partition: string, record: StoredResponse): Promise<Lookup<ArrayBuffer>> {
    const value = this.#of(partition).behind.body(record);
    if (value) return { kind: 'found', value };
    return lookUp(async () => (await this.#storage(partition)).body(record));
  }

  write(partition: string, order: Order): Promise<boolean> {
    return this.#of(partition).behind.add(order);
  }

  settled(partition: string): Promise<void> {
    return this.#of(partition).behind.settled();
  }

  async clear(partition: string): Promise<void> {
    await this.#of(partition).behind.clear(async () => (await this.#storage(partition)).clear());
  }

  async salt(partition: string, candidate: string): Promise<string> {
    return (await this.#storage(partition)).salt(candidate);
  }

  /** Does not open a closed database, and waits no longer than for one transaction. Never rejects. */
  async inspect(partition: string): Promise<CacheInspection> {
    const { database, stored, memory } = this.#of(partition);
    const { mode } = database;
    if (mode === 'closed') return { mode, entries: 0, bytes: 0 };
    const usage = lookUp<Usage>(async () => (mode === 'memory' ? memory : stored).usage());
    const late = `The database has not answered within ${LIMITS.transaction} ms`;
    const known = await inTime(this.#system.clock, LIMITS.transaction, late, usage).then(foundIn, () => null);
    return { mode, entries: known?.entries ?? null, bytes: known?.bytes ?? null };
  }

  async #storage(partition: string): Promise<IdbResponses | MemoryResponses> {
    const { database, stored, memory } = this.#of(partition);
    return (await database.connect()) === null ? memory : stored;
  }

  #of(name: string): Partition {
    const known = this.#partitions.get(name);
    if (known) return known;
    const database = this.#databases.database(name);
    const stored = new IdbResponses(this.#system, database);
    const behind = new WriteBehind(this.#system, () => this.#storage(name), this.#giveWay);
    const partition = { database, stored, memory: new MemoryResponses(), behind };
    this.#partitions.set(name, partition);
    return partition;
  }
}
