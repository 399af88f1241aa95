import { IDBFactory, IDBOpenDBRequest } from '../../../src/worker/storage/indexeddb.fixture.ts';
import type { Owner, Timeline } from './timeline.ts';

/** Milliseconds that each step of the database takes. */
const STEP = 0.05;

/** How the disk is: all is well, nothing ever ends, or every transaction is aborted. */
export type DiskState = 'works' | 'hangs' | 'fails';

/** The databases of one origin, which may hang, fail or be deleted while workers use them. */
export class Disk implements Owner {
  readonly #timeline: Timeline;
  readonly #factory: IDBFactory = new IDBFactory();
  readonly #connections = new Map<Owner, Set<Connection>>();
  #mode: DiskState = 'works';
  /** So many transactions fail, and no more. */
  #failures = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get state(): 'running' | 'frozen' {
    return this.#mode === 'hangs' ? 'frozen' : 'running';
  }

  get works(): boolean {
    return this.#mode === 'works';
  }

  /** What fake-indexeddb does next, it does as the disk's work. */
  readonly queue = (work: () => void): void => {
    this.#timeline.schedule(this, STEP, work);
  };

  become(mode: DiskState): void {
    this.#mode = mode;
    this.#failures = 0;
    if (mode !== 'hangs') this.#timeline.thaw(this);
  }

  /** So many transactions fail from now on. */
  failNext(transactions: number): void {
    this.#failures = transactions;
  }

  /** The browser, or the user, deletes everything. */
  async lose(): Promise<void> {
    for (const { name = '' } of await this.#factory.databases()) this.#factory.deleteDatabase(name);
  }

  /** Resolves with true if any database was made. */
  async isThere(): Promise<boolean> {
    return (await this.#factory.databases()).length > 0;
  }

  /** What `indexedDB` is for that run of a worker. */
  of(owner: Owner): IDBFactory {
    const mine = new Set<Connection>();
    this.#connections.set(owner, mine);
    const factory = this.#factory;
    return {
      open: (name, version) => {
        if (owner.state === 'gone') return new IDBOpenDBRequest();
        const request = factory.open(name, version);
        request.addEventListener('success', () => this.#watch(owner, mine, request.result));
        return request;
      },
      deleteDatabase: (name) => factory.deleteDatabase(name),
      databases: () => factory.databases(),
      cmp: (first, second) => factory.cmp(first, second),
    };
  }

  /** The owner is gone: what it had not completed is undone. */
  forget(owner: Owner): void {
    for (const { database, transactions } of this.#connections.get(owner) ?? []) {
      for (const transaction of transactions) abort(transaction);
      database.close();
    }
    this.#connections.delete(owner);
  }

  #watch(owner: Owner, mine: Set<Connection>, database: IDBDatabase): void {
    if (owner.state === 'gone') return database.close();
    const transactions = new Set<IDBTransaction>();
    mine.add({ database, transactions });
    const begin = database.transaction.bind(database);
    database.transaction = (...asked: Parameters<IDBDatabase['transaction']>): IDBTransaction => {
      const transaction = begin(...asked);
      transactions.add(transaction);
      for (const end of ['complete', 'abort'])
        transaction.addEventListener(end, () => transactions.delete(transaction));
      // Its first requests are made by then.
      if (this.#failsNow()) queueMicrotask(() => abort(transaction));
      return transaction;
    };
  }

  #failsNow(): boolean {
    if (this.#mode === 'fails') return true;
    if (this.#failures === 0) return false;
    this.#failures -= 1;
    return true;
  }
}

interface Connection {
  readonly database: IDBDatabase;
  readonly transactions: Set<IDBTransaction>;
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It is over already.
  }
}
