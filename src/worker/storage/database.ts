import type { IDBPDatabase, IDBPTransaction } from 'idb';
import { messageOf } from '../../shared/failure.ts';
import type { System } from '../platform/system.ts';
import { STEPS } from './migrations.ts';
import type { Step } from './migrations.ts';
import { openInTime } from './open.ts';
import { DatabaseDeadline } from '../platform/database-deadline.ts';

/** The stores that this release knows; a later one may have added others. */
export type StoreName = 'responses' | 'bodies' | 'patches' | 'loops' | 'feeds' | 'meta';

export type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<unknown, StoreName[], Mode>;

/** `memory`, from then on: it cannot be opened; `indexeddb`: it was deleted, and is there again with nothing in it. */
export type StorageNews = (mode: 'indexeddb' | 'memory', reason: string) => void;

/**
 * One partition's database. It opens with its first use, and again after the browser has closed it. It gives up for
 * good when it cannot be opened: memory is then used instead.
 */
export class Database {
  readonly #system: Pick<System, 'clock' | 'indexedDB'>;
  readonly #partition: string;
  readonly #tell: StorageNews;
  readonly #steps: readonly Step[];
  readonly #patience: DatabaseDeadline;
  #mode: 'closed' | 'indexeddb' | 'memory' = 'closed';
  /** When the database that was open last was made; null if that is not known. */
  #madeAt: number | null = null;
  #connecting: Promise<IDBPDatabase | null> | null = null;
  #connection: IDBPDatabase | null = null;

  constructor(
    system: Pick<System, 'clock' | 'indexedDB'>,
    partition: string,
    tell: StorageNews,
    steps: readonly Step[] = STEPS,
  ) {
    this.#system = system;
    this.#partition = partition;
    this.#tell = tell;
    this.#steps = steps;
    this.#patience = new DatabaseDeadline(system.clock, async (signal) => {
      const connection = await this.connect();
      if (connection) await transactOn(connection, ['meta'], 'readonly', probe, signal);
    });
  }

  get mode(): 'closed' | 'indexeddb' | 'memory' {
    return this.#mode;
  }

  /** Null if there is no database and will not be. */
  connect(): Promise<IDBPDatabase | null> {
    this.#connecting ??= this.#open();
    return this.#connecting;
  }

  /**
   * Runs `work` in one transaction over those stores and resolves when it has completed. A writing transaction has its
   * stores to itself, so ask for no more than are used. A connection that turns out to be lost is replaced once;
   * nothing of the first try has then taken effect.
   * @throws DatabaseLate if it has not completed in time, or the database has been late before.
   */
  async transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#connected();
    try {
      return await this.#patience.within((signal) => transactOn(connection, stores, mode, work, signal));
    } catch (error) {
      if (!this.#isLost(connection, error)) throw error;
      this.#forget(connection);
      const another = await this.#connected();
      return await this.#patience.within((signal) => transactOn(another, stores, mode, work, signal));
    }
  }

  async #connected(): Promise<IDBPDatabase> {
    const connection = await this.connect();
    if (connection === null)
      throw new Error(`The database of partition '${this.#partition}' cannot be opened`);
    return connection;
  }

  async #open(): Promise<IDBPDatabase | null> {
    const { clock, indexedDB } = this.#system;
    if (indexedDB === null) return this.#giveUp('IndexedDB is missing here');
    let madeAt: number | null = null;
    const made = (upgrade: IDBTransaction): void => {
      madeAt = clock.now();
      upgrade.objectStore('meta').put(madeAt, MADE_AT);
    };
    try {
      this.#connection = await openInTime(indexedDB, `offstage:${this.#partition}`, clock, this.#steps, made);
    } catch (error) {
      return this.#giveUp(reasonOf(error));
    }
    this.#mode = 'indexeddb';
    this.#watch(this.#connection);
    if (madeAt === null) void this.#recognize(this.#connection);
    else this.#be(madeAt, true);
    return this.#connection;
  }

  /** After a deletion, another engine may have made it anew. This is not awaited, since the database may be late. */
  async #recognize(connection: IDBPDatabase): Promise<void> {
    try {
      const { signal } = new AbortController();
      const madeAt: unknown = await transactOn(connection, ['meta'], 'readonly', storedMadeAt, signal);
      if (connection === this.#connection && typeof madeAt === 'number') this.#be(madeAt, false);
    } catch {
      // The connection is lost; the next one is checked.
    }
  }

  #be(madeAt: number, isNew: boolean): void {
    const isAnother = this.#madeAt !== null && (isNew || madeAt !== this.#madeAt);
    this.#madeAt = madeAt;
    if (isAnother) this.#tell('indexeddb', DELETED);
  }

  #giveUp(reason: string): null {
    this.#mode = 'memory';
    this.#tell('memory', reason);
    return null;
  }

  /** Closes when the database is deleted or upgraded elsewhere, and notices when the browser closes it. */
  #watch(connection: IDBPDatabase): void {
    connection.addEventListener('versionchange', () => this.#forget(connection));
    connection.addEventListener('close', () => this.#forget(connection));
  }

  #forget(connection: IDBPDatabase): void {
    connection.close();
    if (connection !== this.#connection) return;
    this.#connection = null;
    this.#connecting = null;
    this.#mode = 'closed';
  }

  #isLost(connection: IDBPDatabase, error: unknown): boolean {
    return connection !== this.#connection || (error instanceof Error && error.name === 'InvalidStateError');
  }
}

/** The name in `meta` of the time when the database was made. */
const MADE_AT = 'madeAt';

const DELETED = 'What was stored has been deleted';

async function transactOn<Mode extends 'readonly' | 'readwrite', T>(
  connection: IDBPDatabase,
  stores: readonly StoreName[],
  mode: Mode,
  work: (transaction: Transaction<Mode>) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const transaction = connection.transaction([...stores], mode, {
    durability: 'relaxed',
  });
  signal.addEventListener('abort', () => abort(transaction));
  const done = transaction.done.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  try {
    const result = await work(transaction);
    const broken = await done;
    if (broken) throw broken.error;
    return result;
  } catch (error) {
    abort(transaction);
    throw error;
  }
}

function probe(transaction: Transaction<'readonly'>): Promise<unknown> {
  return transaction.objectStore('meta').get('probe');
}

function storedMadeAt(transaction: Transaction<'readonly'>): Promise<unknown> {
  return transaction.objectStore('meta').get(MADE_AT);
}

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // It is over already.
  }
}

function reasonOf(error: unknown): string {
  return messageOf(error instanceof AggregateError ? error.errors[0] : error);
}
