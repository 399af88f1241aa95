import { LIMITS } from '../../shared/limits.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import { inTime } from '../platform/waiting.ts';
import { foundIn, lookUp, lookUpAll, UNNAMED } from '../contracts/response-store.ts';
import type { Lookup, StoredResponse } from '../contracts/response-store.ts';
import type { Clock, System } from '../platform/system.ts';
import type { Usage } from './eviction.ts';
import type { Database } from './database.ts';
import { Uses } from './answer-writer.ts';
import { IdbResponses, NOTED_AGAIN } from './idb-responses.ts';
import { WriteBehind } from './write-behind.ts';
import type { Order } from './waiting.ts';
import { isSameRevision, isNewer } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { refuseOversized } from './eviction.ts';
import { excessOf, METADATA, wholeOf, isSmall } from './response-record.ts';
import type { Written } from './idb-responses.ts';
import type { Decide, RecordChange } from './response-record.ts';
import type { Cipher } from './cipher.ts';
import type { Revision } from '../../shared/outcome.ts';

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
    const uses = new Uses(system.clock);
    this.#stored = new IdbResponses(system, database, LIMITS.storedSize, uses);
    this.#names = new UrlNames(system, database);
    this.#small = new SmallBodies(system.clock);
    this.#behind = new WriteBehind(system, () => this.#storage(), giveWay, uses);
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

interface Entry {
  readonly record: StoredResponse;
  readonly body: ArrayBuffer;
}

/** The stored answers of one partition if there is no database: they last as long as the worker. */
export class MemoryResponses {
  readonly #entries: RecentlyUsed<string, Entry>;
  readonly #capacity: number;
  #salt: string | null = null;

  /** `capacity` in bytes. */
  constructor(capacity: number = LIMITS.storedSize) {
    this.#capacity = capacity;
    this.#entries = new RecentlyUsed(capacity, ({ record }) => record.size + excessOf(record) + METADATA);
  }

  async find(key: string): Promise<StoredResponse | null> {
    return this.#entries.peek(key)?.record ?? null;
  }

  async keys(after: string | null = null, limit: number = Infinity): Promise<string[]> {
    const keys = this.#entries.keys().toSorted();
    return keys.filter((key) => after === null || key > after).slice(0, limit);
  }

  /** A copy, since the caller may transfer it to a page. */
  async body(record: StoredResponse): Promise<ArrayBuffer | null> {
    const entry = this.#entries.peek(record.key);
    if (!entry || !isSameRevision(entry.record.revision, record.revision)) return null;
    this.#entries.get(record.key);
    return entry.body.slice(0);
  }

  async update(key: string, decide: Decide): Promise<RecordChange> {
    const entry = this.#entries.peek(key);
    const change = decide(entry?.record ?? null);
    if (change.kind === 'describe' && entry) this.#entries.set(key, { ...entry, record: change.stored });
    if (change.kind === 'replace') this.#replace(key, change.stored, change.body);
    if (change.kind === 'amend') this.#replace(key, change.stored, wholeOf(change));
    if (change.kind === 'remove') this.#entries.delete(key);
    return change;
  }

  async carryOut(batch: readonly Written[]): Promise<void> {
    for (const { key, orders } of batch) {
      for (const { decide } of orders) await this.update(key, decide);
    }
  }

  async remove(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async clear(): Promise<void> {
    this.#entries.clear();
  }

  async salt(candidate: string): Promise<string> {
    this.#salt ??= candidate;
    return this.#salt;
  }

  async usage(): Promise<Usage> {
    const { size, weight } = this.#entries;
    return { entries: size, bytes: weight - size * METADATA };
  }

  #replace(key: string, record: StoredResponse, body: ArrayBuffer): void {
    refuseOversized(record.size, this.#capacity);
    this.#entries.set(key, { record, body: body.slice(0) });
  }
}

/** What keys call a URL: in an encrypted database a digest, so that nobody reads there which URLs were asked for. */
export class UrlNames {
  readonly #uuid: System['uuid'];
  readonly #database: Pick<Database, 'isEncrypted' | 'cipher' | 'connect'>;
  /** Digests by URL, and the cipher that made them. */
  readonly #names = new RecentlyUsed<string, string>(LIMITS.descriptions);
  /** Names by URL that were made up while the database was late. */
  readonly #madeUp = new RecentlyUsed<string, string>(LIMITS.descriptions);
  #cipher: Cipher | null = null;

  constructor(
    { uuid }: Pick<System, 'uuid'>,
    database: Pick<Database, 'isEncrypted' | 'cipher' | 'connect'>,
  ) {
    this.#uuid = uuid;
    this.#database = database;
  }

  of(url: string): string | Promise<string> {
    if (!this.#database.isEncrypted) return url;
    const { cipher } = this.#database;
    return (cipher === this.#cipher && this.#names.get(url)) || this.#digest(url);
  }

  /** A database that was deleted and made anew has other keys. In memory alone, a URL is called by itself. */
  async #digest(url: string): Promise<string> {
    const opened = await this.#database.connect().catch(() => 'late' as const);
    if (opened === null) return url;
    // There may be no keys yet, and what is stored once there are must not show the URL.
    const cipher = opened === 'late' ? this.#database.cipher : opened.cipher;
    if (cipher === null) return this.#makeUp(url);
    const name = await cipher.nameOf(url);
    if (cipher !== this.#cipher) this.#names.clear();
    this.#cipher = cipher;
    this.#names.set(url, name);
    return name;
  }

  #makeUp(url: string): string {
    const name = this.#madeUp.get(url) ?? UNNAMED + this.#uuid();
    this.#madeUp.set(url, name);
    return name;
  }
}

interface Held {
  readonly revision: Revision;
  readonly bytes: ArrayBuffer;
  /** Milliseconds of the epoch: when the database was last asked for it, or given it. */
  readonly at: number;
}

/** The small bodies that were stored or read last: who asks for one of them waits for no transaction. */
export class SmallBodies {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #held = new RecentlyUsed<string, Held>(
    LIMITS.smallBodies,
    ({ bytes }) => bytes.byteLength + METADATA,
  );
  #losses = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Changes when something is lost: what was read before that may be lost as well. */
  get losses(): number {
    return this.#losses;
  }

  /** Null if the bytes of that revision are not held, or the database is to note their use. A copy, since the caller may transfer it to a page. */
  get({ key, revision }: StoredResponse): ArrayBuffer | null {
    const held = this.#held.get(key);
    if (!held || !isSameRevision(held.revision, revision)) return null;
    const age = this.#clock.now() - held.at;
    return age >= 0 && age < NOTED_AGAIN ? held.bytes.slice(0) : null;
  }

  /** Takes the place of what was held of that answer, small or not, unless that is newer. */
  keep(record: StoredResponse, bytes: ArrayBuffer): void {
    const { key, revision } = record;
    const held = this.#held.peek(key);
    if (held && isNewer(held.revision, revision)) return;
    if (isSmall(record)) this.#held.set(key, { revision, bytes: bytes.slice(0), at: this.#clock.now() });
    else this.#held.delete(key);
  }

  /** That revision is not stored, or not any more. */
  lose({ key, revision }: StoredResponse): void {
    const held = this.#held.peek(key);
    if (held && isSameRevision(held.revision, revision)) this.remove(key);
  }

  remove(key: string): void {
    this.#losses += 1;
    this.#held.delete(key);
  }

  clear(): void {
    this.#losses += 1;
    this.#held.clear();
  }
}
