import type { IDBPDatabase } from 'idb';
import { messageOf } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Place, TellStorage } from '../contracts/root-store.ts';
import { inTime } from '../platform/waiting.ts';
import { STEPS } from './migrations.ts';
import type { Step } from './migrations.ts';
import type { Cipher } from './cipher.ts';
import { openDatabase, readMadeAt } from './opening.ts';
import type { DatabaseSystem, Opened } from './opening.ts';
import { probe, transactOn } from './transact.ts';
import type { Durability } from './transact.ts';
import type { StoreName, Transaction } from './transaction.ts';
import { DatabaseDeadline, DatabaseLate, StaleGeneration } from '../platform/database-deadline.ts';

export type { StoreName, Transaction } from './transaction.ts';

export interface DatabaseOptions {
  readonly steps?: readonly Step[];
  /** True if what is stored is encrypted. */
  readonly isEncrypted?: boolean;
  /** False if it is tried again where it cannot be opened: memory cannot stand for it (default true). */
  readonly givesUp?: boolean;
}

/**
 * One partition's database. It opens with its first use, and again after the browser has closed it. It gives up for
 * good when it cannot be opened: memory is then used instead. Once it is retired, nothing is read or written any more.
 */
export class Database {
  readonly #system: DatabaseSystem;
  readonly #place: Place | (() => Promise<Place>);
  readonly #tell: TellStorage;
  readonly #steps: readonly Step[];
  readonly #isEncrypted: boolean;
  readonly #givesUp: boolean;
  readonly #patience: DatabaseDeadline;
  #mode: 'closed' | 'indexeddb' | 'memory' = 'closed';
  /** When it was last told that the browser has no more room, in milliseconds of the epoch. */
  #toldFullAt = -Infinity;
  #connecting: Promise<Opened | null> | null = null;
  #connection: IDBPDatabase | null = null;
  #cipher: Cipher | null = null;
  #isRetired = false;
  /** Set where the place was late: aborts once it is known. */
  #placeKnown: AbortController | null = null;

  /** `place` may not be known yet: until then the database is late. A function is asked for it whenever the database opens. */
  constructor(
    system: DatabaseSystem,
    place: string | Promise<Place> | (() => Promise<Place>),
    tell: TellStorage,
    { steps = STEPS, isEncrypted = false, givesUp = true }: DatabaseOptions = {},
  ) {
    this.#givesUp = givesUp;
    this.#system = system;
    if (typeof place === 'string') this.#place = { kind: 'database', partition: place, owner: null };
    else this.#place = typeof place === 'function' ? place : (): Promise<Place> => place;
    this.#tell = tell;
    this.#steps = steps;
    this.#isEncrypted = isEncrypted;
    this.#patience = new DatabaseDeadline(system.clock, async (signal) => {
      const opened = await this.connect();
      if (opened) await transactOn(opened, ['meta'], 'readonly', probe, signal);
    });
  }

  get mode(): 'closed' | 'indexeddb' | 'memory' {
    return this.#mode;
  }

  get clock(): DatabaseSystem['clock'] {
    return this.#system.clock;
  }

  /** That of the last connection; null before the first, and if what is stored is not encrypted. */
  get cipher(): Cipher | null {
    return this.#cipher;
  }

  get isEncrypted(): boolean {
    return this.#isEncrypted;
  }

  /**
   * Null if there is no database and will not be. Rejects if its place is not known in time, or it is retired, and where it does not
   * give up, if it cannot be opened: the next use tries again.
   */
  connect(): Promise<Opened | null> {
    if (this.#isRetired) return Promise.reject(new Error(RETIRED));
    this.#connecting ??= this.#opening();
    return this.#connecting;
  }

  /** Closes it for good. A transaction that has begun still completes. */
  retire(): void {
    this.#isRetired = true;
    if (this.#connection) this.#forget(this.#connection);
  }

  /**
   * Runs `work` in one transaction over those stores and resolves when it has completed. A writing transaction has its
   * stores to itself, so ask for no more than are used. A connection that turns out to be lost is replaced once;
   * nothing of the first try has then taken effect, unless it was late.
   * @throws DatabaseLate if it has not completed in time, or the database has been late before.
   */
  async transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
    durability: Durability = 'relaxed',
  ): Promise<T> {
    const opened = await this.#connected();
    try {
      return await this.#patience.within((signal) =>
        transactOn(opened, stores, mode, work, signal, durability),
      );
    } catch (error) {
      if (!this.#isLost(opened, error)) throw error;
      this.#forget(opened.connection);
      try {
        const another = await this.#connected();
        return await this.#patience.within((signal) =>
          transactOn(another, stores, mode, work, signal, durability),
        );
      } catch (later) {
        // Whether a late one has taken effect, the failure of another does not say.
        throw error instanceof DatabaseLate && !(later instanceof StaleGeneration) ? error : later;
      }
    }
  }

  async #connected(): Promise<Opened> {
    const opened = await this.connect();
    if (opened === null) throw new Error('The database cannot be opened');
    return opened;
  }

  /** What fails is begun anew with the next use. */
  #opening(): Promise<Opened | null> {
    const opening = this.#open();
    opening.catch(() => {
      if (this.#connecting === opening) this.#connecting = null;
    });
    return opening;
  }

  async #open(): Promise<Opened | null> {
    if (this.#system.indexedDB === null) return this.#giveUp('IndexedDB is missing here');
    const place = typeof this.#place === 'function' ? await this.#inTime(this.#place) : this.#place;
    if (place.kind === 'memory') return this.#giveUp(place.reason);
    const { partition } = place;
    let opened: Opened;
    try {
      opened = await openDatabase(this.#system, { partition, isEncrypted: this.#isEncrypted }, this.#steps);
    } catch (error) {
      if (!this.#givesUp) throw error;
      return this.#giveUp(reasonOf(error));
    }
    const { connection, madeAt } = opened;
    this.#connection = connection;
    if (this.#isRetired) {
      this.#forget(connection);
      throw new Error(RETIRED);
    }
    this.#cipher = opened.cipher;
    this.#mode = 'indexeddb';
    this.#watch(connection);
    if (madeAt === null) void this.#recognize(connection, partition);
    else this.#tellOpened(partition, madeAt);
    return opened;
  }

  /** Once that was late, it is not waited for any more: the database is late until it is known. */
  async #inTime(locate: () => Promise<Place>): Promise<Place> {
    const late = `It is not known within ${LIMITS.transaction} ms where answers are stored`;
    const before = this.#placeKnown?.signal;
    if (before?.aborted === false) throw new DatabaseLate(late, { again: before });
    const place = locate();
    try {
      return await inTime(this.#system.clock, LIMITS.transaction, late, place);
    } catch (cause) {
      if (messageOf(cause) !== late) throw cause;
      const { signal } = (this.#placeKnown = endOf(place));
      throw new DatabaseLate(late, { cause, again: signal });
    }
  }

  /** It may have been made by an engine before, or by another one. This is not awaited, since the database may be late. */
  async #recognize(connection: IDBPDatabase, name: string): Promise<void> {
    try {
      const madeAt = await readMadeAt(connection);
      if (connection === this.#connection && madeAt !== null) this.#tellOpened(name, madeAt);
    } catch {
      // The connection is lost; the next one is checked.
    }
  }

  #tellOpened(name: string, madeAt: number): void {
    this.#tell({ kind: 'opened', name, madeAt });
  }

  /** The browser had no more room for a write, and stored answers are removed. Writes may fail one after the other. */
  noteFull(): void {
    const now = this.#system.clock.now();
    if (Math.abs(now - this.#toldFullAt) < FULL_PAUSE) return;
    this.#toldFullAt = now;
    this.#tell({ kind: 'full' });
  }

  #giveUp(reason: string): null {
    this.#mode = 'memory';
    if (!this.#isRetired) this.#tell({ kind: 'memory', reason });
    return null;
  }

  /** Closes when the database is deleted or upgraded elsewhere, and notices when the browser closes it. */
  #watch(connection: IDBPDatabase): void {
    connection.addEventListener('versionchange', () => this.#forget(connection));
    const openedAt = this.#system.clock.now();
    connection.addEventListener('close', () => {
      this.#forget(connection);
      void this.#openAgain(openedAt);
    });
  }

  /** What was stored may be gone, which pages are told now, not when something is stored next. */
  async #openAgain(openedAt: number): Promise<void> {
    const { clock } = this.#system;
    await clock.sleep(Math.min(LEAST_LIFE, Math.max(0, openedAt + LEAST_LIFE - clock.now())));
    await this.connect().catch(() => {});
  }

  #forget(connection: IDBPDatabase): void {
    connection.close();
    if (connection !== this.#connection) return;
    this.#connection = null;
    this.#connecting = null;
    this.#mode = 'closed';
  }

  #isLost({ connection }: Opened, error: unknown): boolean {
    return connection !== this.#connection || (error instanceof Error && error.name === 'InvalidStateError');
  }
}

/** Milliseconds between two connections, of which the browser closes the first. */
const LEAST_LIFE = 1_000;

/** Milliseconds until it is told once more that the browser has no more room. */
const FULL_PAUSE = 1_000;

const RETIRED = 'The identity of this database has been signed out';

/** Aborts when that is known, or has failed: then it may be asked for again. */
function endOf(place: Promise<unknown>): AbortController {
  const end = new AbortController();
  const abort = (): void => end.abort();
  void place.then(abort, abort);
  return end;
}

/** Why a database could not be opened. */
export function reasonOf(error: unknown): string {
  return messageOf(error instanceof AggregateError ? error.errors[0] : error);
}
