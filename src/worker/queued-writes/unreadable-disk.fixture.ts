import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';

/** Databases of waiting writes, of which one body cannot be read: Chromium says so where the file of a large value is gone. */
export class UnreadableDisk extends FaultyDisk {
  /** The place of that write. */
  unreadable = 0;
  /** Firefox and Safari say no more than `UnknownError`. */
  says = 'DataError';

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    const transaction = begin(names, mode, options);
    const storeOf = transaction.objectStore.bind(transaction);
    // The same store is the same object.
    const watched = new Set<IDBObjectStore>();
    transaction.objectStore = (name) => {
      const store = storeOf(name);
      if (name !== 'payloads' || watched.has(store)) return store;
      watched.add(store);
      const get = store.get.bind(store);
      store.get = (key) => (key === this.unreadable ? failing(get(key), this.says) : get(key));
      return store;
    };
    return transaction;
  }
}

/** Its success is told as an error. */
function failing<T>(request: IDBRequest<T>, name: string): IDBRequest<T> {
  const listen = request.addEventListener.bind(request);
  const error = new DOMException('Failed to read large IndexedDB value', name);
  Object.defineProperty(request, 'error', { get: () => error, set: () => {} });
  request.addEventListener = (type: string, listener: EventListener) => {
    if (type === 'error') listen('success', listener);
  };
  return request;
}
