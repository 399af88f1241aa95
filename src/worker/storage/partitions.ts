import { LIMITS } from '../../shared/limits.ts';
import { lasting, OUTBOX } from '../contracts/root-store.ts';
import type { TellStorage, Place, RootLookup, RootRecord, RootStore } from '../contracts/root-store.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { inTime } from '../platform/waiting.ts';
import { Database, reasonOf } from './database.ts';
import type { Transaction } from './database.ts';
import { deleteAll, deleted, nameOf, namesBelow, OpensLate, prefixOf } from './opening.ts';
import type { DatabaseSystem } from './opening.ts';
import type { System } from '../platform/system.ts';
import { OUTBOX_STEPS, ROOT_STEPS } from './migrations.ts';
import { OtherKind } from './other-kind.ts';
import { OutboxCopy } from './outbox-copy.ts';
import { forgetEnded } from './past-writes.ts';
import { SpareDatabases } from './spare-databases.ts';
import type { CopyNames } from './spare-databases.ts';

/** Its name in `meta`. */
const GENERATION = 'generation';

/** What the databases of a scope need of the world. `spare`: only if anything is stored twice. */
export interface PartitionsSystem extends DatabaseSystem {
  readonly spare?: System['spare'];
}

/** The databases of one scope: the root database, and one for each partition. Nothing opens before the first use. */
export class Partitions {
  readonly #system: DatabaseSystem;
  readonly #scope: string;
  readonly #isEncrypted: boolean;
  readonly #tell: TellStorage;
  /** Null if the platform has but one place for databases. */
  readonly #spare: SpareDatabases | null;
  readonly #root: StoredRoot;
  readonly #otherKind: OtherKind;
  #hasRemoved = false;

  /** `scope` is the path of the engine's scope: two apps of one origin share no database. */
  constructor(system: PartitionsSystem, scope: string, tell: TellStorage, isEncrypted = false) {
    this.#system = system;
    this.#spare = system.spare ? new SpareDatabases(system, system.spare, scope, isEncrypted) : null;
    this.#root = new StoredRoot(system, scope, this.#spare);
    this.#scope = scope;
    this.#isEncrypted = isEncrypted;
    this.#otherKind = new OtherKind(system, this.#outboxName(null), isEncrypted);
    this.#tell = (news) => {
      tell(news);
      if (news.kind === 'opened') this.#removeOtherKind();
    };
  }

  /** Where it is stored who is signed in: never encrypted, since it holds a digest of the name alone. */
  root(): StoredRoot {
    return this.#root;
  }

  /** A partition's database, which may wait to learn where it is. */
  open(place: string | Promise<Place>): Database {
    const located = typeof place === 'string' ? this.#name(place) : place.then((each) => this.#within(each));
    return new Database(this.#system, located, this.#tell, { isEncrypted: this.#isEncrypted });
  }

  /** The writes that wait for an identity: they outlive its partition, and are there again when it comes back. */
  openOutbox(place: Promise<Place>): Database {
    // What waits there is not gone because the disk is late as a worker starts.
    const options = { isEncrypted: this.#isEncrypted, steps: OUTBOX_STEPS, givesUp: false };
    const located = this.#outboxAt(place);
    // It opens once it has what waits in the other kind, so that nothing that is queued comes before that.
    const carried = async (): Promise<Place> => {
      const outbox = await located;
      if (outbox.kind === 'database') await this.#otherKind.carry(outbox.partition);
      return outbox;
    };
    return new Database(this.#system, carried, () => {}, options);
  }

  /** Deletes what waits for an identity in the other kind of databases. Rejects where that is not done in time. */
  async discardOtherKind(place: Promise<Place>): Promise<void> {
    const late = 'It is not known in time whose writes wait';
    const outbox = await inTime(this.#system.clock, LIMITS.transaction, late, this.#outboxAt(place));
    if (outbox.kind === 'database') await this.#otherKind.discard(outbox.partition);
  }

  /** The copy of what waits for an identity; null if the platform has but one place for databases. */
  outboxCopy(place: Promise<Place>): OutboxCopy | null {
    const spare = this.#spare;
    if (spare === null) return null;
    return new OutboxCopy({
      attempt: (work) => spare.attempt(work),
      fail: (error) => spare.fail(error),
      isThere: () => spare.areThere(),
      open: () => spare.copyOf(this.#outboxAt(place)),
      gather: async (own) => spare.gather(own, this.#copyNames(await this.#outboxAt(place), spare)),
      // Without it, no name would lead there again.
      opened: async () => {
        const located = await lasting(place);
        if (located.kind === 'database' && located.digests) await spare.keepSalt(located.digests.salt);
      },
    });
  }

  #copyNames(place: Place, spare: SpareDatabases): CopyNames {
    const [owner, digests] = place.kind === 'memory' ? [null] : [place.owner, place.digests];
    const former = async (): Promise<readonly string[]> => {
      if (!digests) return [];
      // With one salt, nobody waits to hear who is signed in.
      const owners = (await spare.salts()).filter((each) => each !== digests.salt).map(digests.by);
      const late = 'It is not known in time who is signed in';
      const known = await inTime(this.#system.clock, AWAITED, late, Promise.all(owners));
      return known.filter((each) => each !== owner).map((each) => this.#outboxName(each));
    };
    return { own: this.#outboxName(owner), scope: this.#outboxName(null), former };
  }

  async #outboxAt(place: Promise<Place>): Promise<Place> {
    const located = await lasting(place);
    return located.kind === 'memory' ? located : { ...located, partition: this.#outboxName(located.owner) };
  }

  /** Whether writes may wait for an identity: also where the browser does not say so in time. Never rejects. */
  async hasOutbox(place: Promise<Place>): Promise<boolean> {
    const late = 'It is not known in time whether writes wait';
    return inTime(this.#system.clock, LIMITS.transaction, late, this.#seesOutbox(place)).catch(() => true);
  }

  async #seesOutbox(place: Promise<Place>): Promise<boolean> {
    const located = await lasting(place);
    const { indexedDB } = this.#system;
    if (located.kind === 'memory' || indexedDB === null) return false;
    if (!('databases' in indexedDB)) return true;
    const partition = this.#outboxName(located.owner);
    const own = [true, false].map((isEncrypted) => nameOf({ partition, isEncrypted }));
    const isOwn = ({ name = '' }: IDBDatabaseInfo): boolean => own.includes(name);
    const spare = this.#spare;
    if ((await indexedDB.databases()).some(isOwn)) return true;
    return spare !== null && spare.has(this.#copyNames(located, spare));
  }

  #outboxName(owner: string | null): string {
    return `outbox:${this.#name(owner ?? '')}`;
  }

  /** Deletes what is doomed; resolves with whether nothing is left of it. `isDoomed`: see `IdentitiesPorts.erase`. */
  async erase(doomed: string, isDoomed: () => boolean): Promise<boolean> {
    if (!doomed.startsWith(OUTBOX)) return this.#erasePartition(doomed);
    return this.#forgetEnded(doomed.slice(OUTBOX.length), isDoomed).catch(() => false);
  }

  /** Deletes what has ended of the writes of the identity with that digest, which is not signed in any more. */
  async #forgetEnded(digest: string, isDoomed: () => boolean): Promise<boolean> {
    const place = Promise.resolve<Place>({ kind: 'database', partition: '', owner: digest || null });
    if (!(await this.hasOutbox(place))) return true;
    const database = this.openOutbox(place);
    try {
      const stores = ['ended', 'past', 'payloads'] as const;
      const forget = async (transaction: Transaction<'readwrite'>): Promise<boolean> => {
        if (!isDoomed()) return false;
        await forgetEnded(transaction);
        return true;
      };
      return await database.transact(stores, 'readwrite', forget, 'strict');
    } finally {
      database.retire();
    }
  }

  /**
   * Deletes a partition's database, and one of the other kind that an earlier release has left. Resolves with whether
   * they are gone, at the latest after `LIMITS.opening`.
   */
  async #erasePartition(partition: string): Promise<boolean> {
    const { indexedDB, clock } = this.#system;
    if (indexedDB === null) return true;
    const names = [true, false].map((isEncrypted) =>
      nameOf({ partition: this.#name(partition), isEncrypted }),
    );
    const deleting = Promise.all(names.map((name) => deleted(indexedDB.deleteDatabase(name))));
    const areGone = inTime(clock, LIMITS.opening, 'The deletion is late', deleting);
    return areGone.then((each) => each.every(Boolean)).catch(() => false);
  }

  /** The partitions of which anything is stored, of either kind, as far as the browser says. Never rejects. */
  async stored(): Promise<string[]> {
    const prefixes = [true, false].map((isEncrypted) => `${prefixOf(isEncrypted)}${this.#name('')}`);
    const found = await Promise.all(
      prefixes.map(async (prefix) => {
        const names = await namesBelow(this.#system.indexedDB, prefix).catch(() => []);
        return names.map((name) => name.slice(prefix.length));
      }),
    );
    return [...new Set(found.flat())];
  }

  /** Removes what was stored when the app wanted it the other way, once: in the clear, or encrypted. What waits is carried over. */
  #removeOtherKind(): void {
    if (this.#hasRemoved) return;
    this.#hasRemoved = true;
    void deleteAll(this.#system.indexedDB, `${prefixOf(!this.#isEncrypted)}${this.#name('')}`);
    void this.#otherKind.carryAll();
    void this.#spare?.carryAll(this.#outboxName(null));
  }

  #within(place: Place): Place {
    return place.kind === 'memory' ? place : { ...place, partition: this.#name(place.partition) };
  }

  #name(partition: string): string {
    return `${this.#scope}#${partition}`;
  }
}

/** Raises the generation above `above` for the caller; null if there is no database to keep it. */
export async function raiseIn(database: Database, above: number): Promise<number | null> {
  return (await database.connect()) === null ? null : raiseGeneration(database, above);
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

/** Its name in `meta`. */
const IDENTITY = 'identity';

/** Its name in `meta`: true where the salt was made while it was not known whether there was one before. */
const DOUBTFUL = 'salt-doubtful';

/** Milliseconds for which the salt of before is waited for: nothing can be queued until it is known who is signed in. */
const AWAITED = 1_000;

/** Who is signed in, in the root database of a scope. */
export class StoredRoot implements RootStore {
  readonly #database: Database;
  readonly #spare: SpareDatabases | null;
  readonly #clock: System['clock'];
  /** Why there is no database. */
  #reason = '';

  constructor(
    system: Pick<System, 'clock' | 'indexedDB'>,
    scope: string,
    spare: SpareDatabases | null = null,
  ) {
    this.#spare = spare;
    this.#clock = system.clock;
    const tell: TellStorage = (news) => {
      if (news.kind === 'memory') this.#reason = news.reason;
    };
    this.#database = new Database(system, scope, tell, { steps: ROOT_STEPS, givesUp: false });
  }

  async read(blank: RootRecord): Promise<RootLookup> {
    try {
      if ((await this.#database.connect()) === null) return { kind: 'memory', reason: this.#reason };
    } catch (error) {
      return { kind: 'memory', reason: reasonOf(error), isLate: error instanceof OpensLate };
    }
    try {
      const stored = await this.#database.transact(['meta'], 'readonly', (transaction) =>
        transaction.objectStore('meta').get(IDENTITY),
      );
      const found = intact(stored) ?? (await this.#begin(blank));
      const value =
        this.#spare && found.digest === null ? await this.#withKeptSalt(found, this.#spare) : found;
      return { kind: 'found', value };
    } catch (error) {
      return { kind: 'unknown', error };
    }
  }

  /** By the salt of before, where all databases but those in the other place were lost: names lead to what waits there. */
  async #begin(blank: RootRecord): Promise<RootRecord> {
    const spare = blank.digest === null ? this.#spare : null;
    if (spare === null) return this.update((meanwhile) => meanwhile ?? blank);
    const salt = await this.#keptSalt(spare);
    return this.#database.transact(['meta'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const record = intact(await meta.get(IDENTITY)) ?? { ...blank, salt: salt ?? blank.salt };
      await Promise.all([meta.put(record, IDENTITY), salt === undefined && meta.put(true, DOUBTFUL)]);
      return record;
    });
  }

  /** Nobody is signed in: where the salt of before was not known as this one was made, it may be by now. */
  async #withKeptSalt(stored: RootRecord, spare: SpareDatabases): Promise<RootRecord> {
    const isDoubtful = await this.#database.transact(['meta'], 'readonly', (transaction) =>
      transaction.objectStore('meta').get(DOUBTFUL),
    );
    const salt = isDoubtful === true ? await this.#keptSalt(spare) : undefined;
    if (salt === undefined) return stored;
    return this.#database.transact(['meta'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const present = intact(await meta.get(IDENTITY)) ?? stored;
      // A name that leads somewhere by this one leads nowhere by another.
      if ((await meta.get(DOUBTFUL)) !== true || present.digest !== null) return present;
      const record = { ...present, salt: salt ?? present.salt };
      await Promise.all([meta.put(record, IDENTITY), meta.put(false, DOUBTFUL)]);
      return record;
    });
  }

  /** Undefined where it is not known whether there is one. */
  async #keptSalt(spare: SpareDatabases): Promise<string | null | undefined> {
    try {
      const [salt = null] = await inTime(this.#clock, AWAITED, 'The salt of before is late', spare.salts());
      return salt;
    } catch {
      return undefined;
    }
  }

  update(change: (stored: RootRecord | null) => RootRecord): Promise<RootRecord> {
    return this.#database.transact(['meta'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const record = change(intact(await meta.get(IDENTITY)));
      await meta.put(record, IDENTITY);
      // A name has led somewhere by this salt.
      if (this.#spare && record.digest !== null) await meta.put(false, DOUBTFUL);
      return record;
    });
  }
}

/** Null for what is missing or damaged. */
function intact(stored: unknown): RootRecord | null {
  const { partition, digest, epoch, salt, doomed } = Object(stored);
  const isIntact =
    [partition, salt].every((each) => typeof each === 'string' && each !== '') &&
    (digest === null || typeof digest === 'string') &&
    Number.isSafeInteger(epoch) &&
    Array.isArray(doomed) &&
    doomed.every((each) => typeof each === 'string');
  return isIntact ? { partition, digest, epoch, salt, doomed } : null;
}
