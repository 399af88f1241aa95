import { LIMITS } from '../../shared/limits.ts';
import type { Place } from '../contracts/root-store.ts';
import type { SparePlace } from '../platform/system.ts';
import { inTime } from '../platform/waiting.ts';
import { carryCopy } from './carried-copies.ts';
import { Database } from './database.ts';
import type { Transaction } from './database.ts';
import { COPY_STEPS, ROOT_STEPS } from './migrations.ts';
import { nameOf } from './opening.ts';
import type { DatabaseName, DatabaseSystem } from './opening.ts';

/** The name in `meta` of the salts by which digests of names are made, the present one first. There may be a single one instead. */
const SALTS = 'salt';

/** Milliseconds for which the place is left alone after it has failed: doubled each time, up to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** The names of the databases of copies of one outbox. */
export interface CopyNames {
  readonly own: string;
  /** The name of each outbox of the scope begins with this. */
  readonly scope: string;
  /** Those by the salts of before. Rejects where they are not known in time. */
  readonly former: () => Promise<readonly string[]>;
}

/** The place has failed or was late a moment ago. */
export class SpareLeftAlone extends Error {
  override readonly name = 'SpareLeftAlone';

  constructor(cause: unknown) {
    super('The other place for databases has just failed', { cause });
  }
}

/**
 * The databases of one scope that lie in files of their own. Chromium appends to a file after a kill in the midst of a write, and
 * deletes all databases of an origin when it finds that torn, except those in another bucket.
 */
export class SpareDatabases {
  readonly #system: Omit<DatabaseSystem, 'indexedDB'>;
  readonly #place: SparePlace;
  readonly #scope: string;
  readonly #isEncrypted: boolean;
  /** How many copies were carried over. */
  #carried = 0;
  #factory: Promise<IDBFactory> | null = null;
  /** Why and when it failed last, in milliseconds of the epoch, and for how long it is left alone. */
  #failed: { readonly error: unknown; readonly at: number; readonly pause: number } | null = null;

  constructor(
    system: Omit<DatabaseSystem, 'indexedDB'>,
    place: SparePlace,
    scope: string,
    isEncrypted: boolean,
  ) {
    this.#system = system;
    this.#place = place;
    this.#scope = scope;
    this.#isEncrypted = isEncrypted;
  }

  /**
   * The result of work there. All of it waits no longer than for one failure: then the place is left alone for a while.
   * @throws SpareLeftAlone during that.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failed && this.#isLeftAlone) throw new SpareLeftAlone(this.#failed.error);
    try {
      const result = await work();
      this.#failed = null;
      return result;
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** Work there has failed: it is opened anew after a while, since its files may be gone. Several at a time count once. */
  fail(error: unknown): void {
    if (this.#isLeftAlone) return;
    const pause = Math.min(2 * (this.#failed?.pause ?? FIRST_PAUSE / 2), LONGEST_PAUSE);
    this.#failed = { error, at: this.#system.clock.now(), pause };
    this.#factory = null;
  }

  get #isLeftAlone(): boolean {
    if (!this.#failed) return false;
    const { at, pause } = this.#failed;
    const since = this.#system.clock.now() - at;
    return since >= 0 && since < pause;
  }

  /** Whether any were made before. Rejects where the browser does not say so in time. */
  areThere(): Promise<boolean> {
    const late = 'It is not known in time what is there';
    const { clock } = this.#system;
    return this.attempt(() => inTime(clock, LIMITS.transaction, late, this.#place.isThere()));
  }

  /** Whether there is a copy of that outbox. Rejects where the browser does not say so in time. */
  async has(names: CopyNames): Promise<boolean> {
    if (!(await this.areThere())) return false;
    const there = await this.attempt(() => this.#listed());
    // That a name is late says nothing of the place.
    return (await foundIn(there, names)).length > 0;
  }

  /** The database of a copy. */
  async copyOf(place: Promise<Place>): Promise<Database> {
    return this.#copyAt(await this.#open(), place, this.#isEncrypted);
  }

  #copyAt(factory: IDBFactory, place: string | Promise<Place>, isEncrypted: boolean): Database {
    const options = { isEncrypted, steps: COPY_STEPS, givesUp: false };
    return new Database({ ...this.#system, indexedDB: factory }, place, () => {}, options);
  }

  /** Carries all copies over that are of the other kind, in the clear or encrypted. `scope`: see `CopyNames`. Never rejects. */
  async carryAll(scope: string): Promise<void> {
    try {
      if (!(await this.areThere())) return;
      const isEncrypted = !this.#isEncrypted;
      const below = nameOf({ partition: scope, isEncrypted });
      const left = [...(await this.#listed())].filter((name) => name.startsWith(below));
      for (const name of left) {
        const partition = `${scope}${name.slice(below.length)}`;
        const own = this.#copyAt(await this.#open(), partition, this.#isEncrypted);
        await this.#carry({ partition, isEncrypted }, own).finally(() => own.retire());
      }
    } catch {
      // The next life tries it again.
    }
  }

  /**
   * Carries the other copies of the same owner over into this one. Rejects where it is not known which there are. One that cannot be
   * read stays where it is: a later life looks for it again.
   */
  async gather(own: Database, names: CopyNames): Promise<void> {
    const there = await this.attempt(() => this.#listed());
    const isOwn = nameOf({ partition: names.own, isEncrypted: this.#isEncrypted });
    for (const each of await foundIn(there, names))
      if (nameOf(each) !== isOwn) await this.#carry(each, own).catch(() => {});
  }

  /** Carries that copy over into this one, and deletes it once all it has is there. */
  async #carry(found: DatabaseName, own: Database): Promise<void> {
    const factory = await this.#open();
    const other = this.#copyAt(factory, found.partition, found.isEncrypted);
    this.#carried += 1;
    try {
      await carryCopy(other, own, `${this.#system.clock.now()} ${this.#carried}`);
    } finally {
      other.retire();
    }
    factory.deleteDatabase(nameOf(found));
  }

  async #listed(): Promise<ReadonlySet<string>> {
    const late = 'It is not known in time what is there';
    const asked = (await this.#open()).databases();
    const listed = await inTime(this.#system.clock, LIMITS.transaction, late, asked);
    return new Set(listed.map(({ name = '' }) => name));
  }

  /** The present one first; none where none is kept. Rejects where that is not known. */
  async salts(): Promise<readonly string[]> {
    if (!(await this.areThere())) return [];
    return this.#once((meta) => meta.transact(['meta'], 'readonly', saltsIn));
  }

  /** It is the present one from now on. What waits under the others is found by them. Rejects where that fails. */
  async keepSalt(salt: string): Promise<void> {
    await this.#once((database) =>
      database.transact(['meta'], 'readwrite', async (transaction) => {
        const salts = await saltsIn(transaction);
        if (salts[0] === salt) return;
        const others = salts.filter((each) => each !== salt);
        await transaction.objectStore('meta').put([salt, ...others], SALTS);
      }),
    );
  }

  /** With the database that has the salt. */
  #once<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return this.attempt(async () => {
      const system = { ...this.#system, indexedDB: await this.#open() };
      const database = new Database(system, this.#scope, () => {}, { steps: ROOT_STEPS, givesUp: false });
      try {
        return await work(database);
      } finally {
        database.retire();
      }
    });
  }

  #open(): Promise<IDBFactory> {
    const late = 'The other place does not open in time';
    const opening = (this.#factory ??= inTime(this.#system.clock, LIMITS.opening, late, this.#place.open()));
    opening.catch(() => {
      if (this.#factory === opening) this.#factory = null;
    });
    return opening;
  }
}

async function saltsIn(
  transaction: Transaction<'readonly'> | Transaction<'readwrite'>,
): Promise<readonly string[]> {
  const stored = [await transaction.objectStore('meta').get(SALTS)].flat();
  return stored.flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []));
}

/** The databases that are there under these names. Those of before are asked for only where there are any others of the scope. */
async function foundIn(
  there: ReadonlySet<string>,
  { own, scope, former }: CopyNames,
): Promise<DatabaseName[]> {
  const isThere = (each: DatabaseName): boolean => there.has(nameOf(each));
  const ofOwn = ofBothKinds([own]).filter(isThere);
  const isOther = (name: string): boolean =>
    !ofOwn.some((each) => nameOf(each) === name) &&
    ofBothKinds([scope]).some((each) => name.startsWith(nameOf(each)));
  if (![...there].some(isOther)) return ofOwn;
  return [...ofOwn, ...ofBothKinds(await former()).filter(isThere)];
}

function ofBothKinds(partitions: readonly string[]): DatabaseName[] {
  return partitions.flatMap((partition) => [true, false].map((isEncrypted) => ({ partition, isEncrypted })));
}
