import { LIMITS } from '../../shared/limits.ts';
import { inTime } from '../platform/waiting.ts';
import { Database } from './database.ts';
import type { StoreName, Transaction } from './database.ts';
import { OUTBOX_STEPS } from './migrations.ts';
import { deleted, nameOf, namesBelow, prefixOf } from './opening.ts';
import type { DatabaseSystem } from './opening.ts';
import { inParts, partsOf, readAll, ReadSize, readTogether } from './parts.ts';
import {
  addFound,
  assertBegun,
  beginTaking,
  isWhole,
  LAST,
  makeWhole,
  takeNames,
  takePast,
} from './taken-back.ts';
import type { Found } from './taken-back.ts';
import { numberIn } from './waiting-write-shape.ts';

/** Bytes that a write is taken to send: so few are carried over at a time. */
const GUESSED = 16_384;

const WRITTEN: readonly StoreName[] = ['outbox', 'ended', 'past', 'payloads', 'meta'];

/**
 * The outboxes that an earlier release of the app has left in the other kind of databases: in the clear, or encrypted. What waits there
 * is carried over, and only then deleted.
 */
export class OtherKind {
  readonly #system: DatabaseSystem;
  readonly #scope: string;
  readonly #isEncrypted: boolean;
  /** By the name of an outbox, the work that carries it over. */
  readonly #carrying = new Map<string, Promise<void>>();
  /** By the name of an outbox that could not be carried over, when that was first so, in milliseconds of the epoch. */
  readonly #failedAt = new Map<string, number>();
  #carried = 0;

  /** `scope`: the name of each outbox of the scope begins with this. */
  constructor(system: DatabaseSystem, scope: string, isEncrypted: boolean) {
    this.#system = system;
    this.#scope = scope;
    this.#isEncrypted = isEncrypted;
  }

  /**
   * Resolves once that outbox has all. Rejects where that has failed, and is to be tried again; after that has failed for
   * `LIMITS.takingBack`, it resolves at once, and what is left stays where it is until that succeeds.
   */
  carry(partition: string): Promise<void> {
    const under = this.#carrying.get(partition) ?? this.#carryOnce(partition);
    this.#carrying.set(partition, under);
    return this.#isGivenUp(partition) ? Promise.resolve() : under;
  }

  /** The same for all outboxes, those of users too who are not signed in. Never rejects. */
  async carryAll(): Promise<void> {
    for (const partition of await this.#left().catch(() => [])) await this.carry(partition).catch(() => {});
  }

  /** Deletes what that outbox has in the other kind. Rejects where that is not done in time: what is left would be carried over later. */
  async discard(partition: string): Promise<void> {
    await this.#carrying.get(partition)?.catch(() => {});
    const { clock, indexedDB } = this.#system;
    if (indexedDB === null) return;
    const deleting = deleted(
      indexedDB.deleteDatabase(nameOf({ partition, isEncrypted: !this.#isEncrypted })),
    );
    if (!(await inTime(clock, LIMITS.opening, 'The deletion is late', deleting)))
      throw new Error('What waits in the other kind of databases cannot be deleted');
  }

  async #carryOnce(partition: string): Promise<void> {
    const { clock } = this.#system;
    try {
      if (await this.#mayBeLeft(partition)) await this.#carry(partition);
      this.#failedAt.delete(partition);
    } catch (error) {
      const first = this.#failedAt.get(partition) ?? clock.now();
      this.#failedAt.set(partition, first);
      if (!this.#isGivenUp(partition)) throw error;
    } finally {
      this.#carrying.delete(partition);
    }
  }

  /** Each try may take longer than an outbox may take to open: then no try is waited for any more. */
  #isGivenUp(partition: string): boolean {
    const { clock } = this.#system;
    const first = this.#failedAt.get(partition);
    return first !== undefined && Math.abs(clock.now() - first) >= LIMITS.takingBack;
  }

  /** Where the browser does not say in time what is there, only opening it tells. */
  async #mayBeLeft(partition: string): Promise<boolean> {
    const { crypto = null } = this.#system;
    if (crypto === null && !this.#isEncrypted) return false;
    return this.#left().then(
      (left) => left.includes(partition),
      () => true,
    );
  }

  /** The names of the outboxes of which there is anything. Rejects where they are not known in time. */
  async #left(): Promise<string[]> {
    const { clock, indexedDB } = this.#system;
    const prefix = prefixOf(!this.#isEncrypted);
    const asked = namesBelow(indexedDB, `${prefix}${this.#scope}`);
    const names = await inTime(clock, LIMITS.transaction / 2, 'The names are late', asked);
    return names.map((name) => name.slice(prefix.length));
  }

  async #carry(partition: string): Promise<void> {
    const { clock, indexedDB } = this.#system;
    const [from, to] = [this.#open(partition, !this.#isEncrypted), this.#open(partition, this.#isEncrypted)];
    this.#carried += 1;
    try {
      const opened = await from.connect();
      // One that was not there has nothing.
      if (opened?.madeAt === null) await carryOutbox(from, to, `${clock.now()} kind ${this.#carried}`);
    } finally {
      for (const each of [from, to]) each.retire();
    }
    indexedDB?.deleteDatabase(nameOf({ partition, isEncrypted: !this.#isEncrypted }));
  }

  #open(partition: string, isEncrypted: boolean): Database {
    return new Database(this.#system, partition, () => {}, {
      isEncrypted,
      steps: OUTBOX_STEPS,
      givesUp: false,
    });
  }
}

/**
 * Carries an outbox over into another one, which has it on the disk when this resolves: in its order, under its keys, and each write in
 * its state. What that knows already stays as it is. Each step may be the last one of its life, and is done again by the next. `mark` is
 * one that no other call gives. Rejects where either is lost meanwhile.
 */
export async function carryOutbox(from: Database, to: Database, mark: string): Promise<void> {
  const { last, wasWhole } = await readMeta(from);
  const begun = await strictly(to, ['meta'], async (transaction) => {
    const meta = transaction.objectStore('meta');
    // New writes get higher places than all that is carried over.
    await meta.put(Math.max(numberIn(await meta.get(LAST)), last), LAST);
    return beginTaking(transaction, mark);
  });
  const size = new ReadSize(from.clock);
  const names = await readAll(from, 'names', size);
  const past = (await readAll(from, 'past', size)).filter((each) => each !== null);
  await inParts(
    to.clock,
    partsOf(names, () => 0),
    (part) => strictly(to, ['names', 'meta'], (transaction) => takeNames(transaction, part, begun)),
  );
  await inParts(
    to.clock,
    partsOf(past, () => 0),
    (part) => strictly(to, WRITTEN, (transaction) => takePast(transaction, part, begun)),
  );
  const carried = new Set<string>();
  // Another engine may still add to it.
  for (let left = await placesIn(from, carried); left.length > 0; left = await placesIn(from, carried))
    await inParts(
      to.clock,
      partsOf(left, () => GUESSED),
      async (part) => {
        const found = await findAt(from, part);
        await strictly(to, WRITTEN, async (transaction) => {
          await assertBegun(transaction, begun);
          await addFound(transaction, found);
        });
        // Once it has ended there and is forgotten, it must not come from here again.
        await forgetAt(from, part);
        for (const each of part) carried.add(keyOf(each));
      },
    );
  await strictly(to, ['meta'], async (transaction) => {
    await assertBegun(transaction, begun);
    if (wasWhole) await makeWhole(transaction);
  });
}

function readMeta(from: Database): Promise<{ readonly last: number; readonly wasWhole: boolean }> {
  return from.transact(['meta'], 'readonly', async (transaction) => {
    const [last, wasWhole] = await Promise.all([
      transaction.objectStore('meta').get(LAST),
      isWhole(transaction),
    ]);
    return { last: numberIn(last), wasWhole };
  });
}

interface StoredAt {
  readonly store: Found['store'];
  readonly place: IDBValidKey;
}

function keyOf({ store, place }: StoredAt): string {
  return JSON.stringify([store, place]);
}

/** Where the writes are that are not carried over yet, in their order. */
async function placesIn(from: Database, carried: ReadonlySet<string>): Promise<StoredAt[]> {
  const stores = ['ended', 'outbox'] as const;
  const found = await from.transact(stores, 'readonly', (transaction) =>
    Promise.all(
      stores.map(async (store) =>
        (await transaction.objectStore(store).getAllKeys()).map((place) => ({ store, place })),
      ),
    ),
  );
  return found.flat().filter((each) => !carried.has(keyOf(each)));
}

/** Damaged ones too: nobody may lose them unseen. One whose data cannot be read has none. */
async function findAt(from: Database, places: readonly StoredAt[]): Promise<Found[]> {
  const stores = ['outbox', 'ended', 'payloads'] as const;
  const whole = await readTogether(from, stores, places, async (transaction, each): Promise<Found> => {
    const [{ store, record }, payload] = await Promise.all([
      recordAt(transaction, each),
      transaction.objectStore('payloads').get(each.place),
    ]);
    return { store, record, payload };
  });
  const bare = whole.includes(null) ? await readTogether(from, ['outbox', 'ended'], places, recordAt) : [];
  return whole
    .flatMap((each, index) => each ?? bare[index] ?? [])
    .filter(({ record }) => record !== undefined);
}

async function recordAt(transaction: Transaction<'readonly'>, { store, place }: StoredAt): Promise<Found> {
  return { store, record: await transaction.objectStore(store).get(place), payload: undefined };
}

function forgetAt(from: Database, places: readonly StoredAt[]): Promise<void> {
  return strictly(from, ['outbox', 'ended', 'payloads'], async (transaction) => {
    await Promise.all(
      places.flatMap(({ store, place }) => [
        transaction.objectStore(store).delete(place),
        transaction.objectStore('payloads').delete(place),
      ]),
    );
  });
}

function strictly<T>(
  to: Database,
  stores: readonly StoreName[],
  work: (transaction: Transaction<'readwrite'>) => Promise<T>,
): Promise<T> {
  return to.transact(stores, 'readwrite', work, 'strict');
}
