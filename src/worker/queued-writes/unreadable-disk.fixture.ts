import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';

/** A disk on which one record cannot be read, of a body unless it says otherwise: Chromium says so where the file of a large value is gone. */
export class UnreadableDisk extends FaultyDisk {
  /** The key of that record; null for none. */
  unreadable: IDBValidKey | null = null;
  /** How often it is read in vain. */
  times: number = Infinity;
  /** Firefox and Safari say no more than `UnknownError`. */
  says = 'DataError';
  readonly #store: string;
  readonly #databases: string;

  /** `databases`: what is in the names of those that are meant. */
  constructor(store: string = 'payloads', databases: string = 'outbox') {
    super();
    [this.#store, this.#databases] = [store, databases];
  }

  protected override isMeant(database: string): boolean {
    return database.includes(this.#databases);
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    const transaction = begin(names, mode, options);
    const storeOf = transaction.objectStore.bind(transaction);
    // The same store is the same object.
    const watched = new Set<IDBObjectStore>();
    transaction.objectStore = (name) => {
      const store = storeOf(name);
      if (name !== this.#store || watched.has(store)) return store;
      watched.add(store);
      const [get, getAll, put] = [store.get.bind(store), store.getAll.bind(store), store.put.bind(store)];
      const isMeant = (each: unknown): boolean => Object(each)[String(store.keyPath)] === this.unreadable;
      store.put = (value, ...key) => {
        // It has another file then.
        if (isMeant(value)) this.unreadable = null;
        return put(value, ...key);
      };
      store.get = (key) => this.#failing(get(key), isMeant);
      store.getAll = (...given) => this.#failing(getAll(...given), (found) => found.some(isMeant));
      return store;
    };
    return transaction;
  }

  /** Its success is told as an error, where it has read that record. */
  #failing<T>(request: IDBRequest<T>, hasRead: (result: T) => boolean): IDBRequest<T> {
    const listen = request.addEventListener.bind(request);
    const error = new DOMException('Failed to read large IndexedDB value', this.says);
    let isFailed: boolean | null = null;
    Object.defineProperty(request, 'error', { get: () => (isFailed ? error : null), set: () => {} });
    request.addEventListener = (type: string, listener: EventListener) => {
      listen('success', (event) => {
        isFailed ??= hasRead(request.result) && (this.times -= 1) >= 0;
        if (isFailed === (type === 'error')) listener(event);
      });
    };
    return request;
  }
}
