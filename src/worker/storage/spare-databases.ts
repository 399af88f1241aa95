import { LIMITS } from '../../shared/limits.ts';
import type { Place } from '../contracts/root-store.ts';
import type { SparePlace } from '../platform/system.ts';
import { inTime } from '../platform/waiting.ts';
import { Database } from './database.ts';
import { COPY_STEPS, ROOT_STEPS } from './migrations.ts';
import { nameOf } from './opening.ts';
import type { DatabaseSystem } from './opening.ts';

/** The name in `meta` of the salt by which digests of names are made. */
const SALT = 'salt';

/** Milliseconds for which the place is left alone after it has failed: doubled each time, up to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

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

  /** Whether there is a copy of the outbox of that name. Rejects where the browser does not say so in time. */
  async has(partition: string): Promise<boolean> {
    if (!(await this.areThere())) return false;
    const own = nameOf({ partition, isEncrypted: this.#isEncrypted });
    return this.attempt(async () =>
      (await (await this.#open()).databases()).some(({ name }) => name === own),
    );
  }

  /** The database of a copy. Rejects where it cannot be had in time. */
  async copyOf(place: Promise<Place>): Promise<Database> {
    const options = { isEncrypted: this.#isEncrypted, steps: COPY_STEPS, givesUp: false };
    return new Database({ ...this.#system, indexedDB: await this.#open() }, place, () => {}, options);
  }

  /** Null where none is kept. Rejects where that is not known. */
  async salt(): Promise<string | null> {
    if (!(await this.areThere())) return null;
    const stored = await this.#once((meta) =>
      meta.transact(['meta'], 'readonly', (transaction) => transaction.objectStore('meta').get(SALT)),
    );
    return typeof stored === 'string' && stored !== '' ? stored : null;
  }

  /** Unless there is one: what waits is found by the first. Rejects where that fails. */
  async keepSalt(salt: string): Promise<void> {
    await this.#once((database) =>
      database.transact(['meta'], 'readwrite', async (transaction) => {
        const meta = transaction.objectStore('meta');
        if ((await meta.get(SALT)) === undefined) await meta.put(salt, SALT);
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
    this.#factory ??= inTime(this.#system.clock, LIMITS.opening, late, this.#place.open());
    return this.#factory;
  }
}
