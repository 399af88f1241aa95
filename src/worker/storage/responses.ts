import { LIMITS } from '../../shared/limits.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import { inTime } from '../platform/waiting.ts';
import { foundIn, lookUp, lookUpAll } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import type { Clock, System } from '../platform/system.ts';
import type { Usage } from './eviction.ts';
import type { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { MemoryResponses } from './memory-responses.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { SmallBodies } from './small-bodies.ts';
import { UrlNames } from './url-names.ts';
import { WriteBehind } from './write-behind.ts';
import type { Order } from './waiting.ts';

/** One partition's answers: in its database, or in memory once the database has given up. */
export class Responses {
  readonly #clock: Clock;
  readonly #database: Database;
  readonly #stored: IdbResponses;
  readonly #memory = new MemoryResponses();
  readonly #names: UrlNames;
  readonly #behind: WriteBehind;
  readonly #small: SmallBodies;

  /** Writes in the background wait for `giveWay` between transactions, unless too much waits already. */
  constructor(
    system: Pick<System, 'clock' | 'digest' | 'pause' | 'uuid'>,
    database: Database,
    giveWay: () => Promise<void> = async () => {},
  ) {
    this.#clock = system.clock;
    this.#database = database;
    this.#stored = new IdbResponses(system, database);
    this.#names = new UrlNames(system, database);
    this.#small = new SmallBodies(system.clock);
    this.#behind = new WriteBehind(system, () => this.#storage(), giveWay);
  }

  get hidesUrls(): boolean {
    return this.#database.isEncrypted;
  }

  nameOf(url: string): string | Promise<string> {
    return this.#names.of(url);
  }

  /** Answers on their way to the storage are found as if they were there. */
  async find(key: string): Promise<Lookup<StoredResponse>> {
    const behind = this.#behind;
    const stored = behind.find(key) ?? (await lookUp(async () => (await this.#storage()).find(key)));
    // It may have been ordered meanwhile.
    return behind.find(key) ?? stored;
  }

  /** At most `limit` keys after `after`, in order, and those between them that are on their way to the storage. */
  keys(after: string | null, limit: number): Promise<Lookup<readonly string[]>> {
    const read = async (): Promise<string[]> => (await this.#storage()).keys(after, limit);
    return lookUpAll(() => this.#behind.keys(after, limit, read));
  }

  async body(record: StoredResponse): Promise<Lookup<ArrayBuffer>> {
    const value = this.#behind.body(record) ?? this.#small.get(record);
    if (value) return { kind: 'found', value };
    const { losses } = this.#small;
    const body = await lookUp(async () => (await this.#storage()).body(record));
    if (body.kind === 'found' && this.#small.losses === losses) this.#small.keep(record, body.value);
    return body;
  }

  async write(order: Order): Promise<boolean> {
    const { key, stored, body } = order;
    if (stored === null) this.#small.remove(key);
    else if (body !== null) this.#small.keep(stored, body);
    const isStored = await this.#behind.add(order);
    if (stored !== null && !isStored) this.#small.lose(stored);
    return isStored;
  }

  settled(): Promise<void> {
    return this.#behind.settled();
  }

  async clear(): Promise<void> {
    this.#small.clear();
    await this.#behind.clear(async () => (await this.#storage()).clear());
  }

  async salt(candidate: string): Promise<string> {
    return (await this.#storage()).salt(candidate);
  }

  /** Does not open a closed database, and waits no longer than for one transaction. Never rejects. */
  async inspect(): Promise<CacheInspection> {
    const { mode } = this.#database;
    if (mode === 'closed') return { mode, entries: 0, bytes: 0 };
    const of = mode === 'memory' ? this.#memory : this.#stored;
    const usage = lookUp<Usage>(async () => of.usage());
    const late = `The database has not answered within ${LIMITS.transaction} ms`;
    const known = await inTime(this.#clock, LIMITS.transaction, late, usage).then(foundIn, () => null);
    return { mode, entries: known?.entries ?? null, bytes: known?.bytes ?? null };
  }

  async #storage(): Promise<IdbResponses | MemoryResponses> {
    return (await this.#database.connect()) === null ? this.#memory : this.#stored;
  }
}
