import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';

/** Databases that have no room for one entry in the store of that name, as for one that is large. */
export class RefusingFactory extends FaultyDisk {
  refuses = '';
  readonly #store: string;
  readonly #below: string;

  /** `below`: only databases whose names begin so. */
  constructor(store: string, below = '') {
    super();
    [this.#store, this.#below] = [store, below];
  }

  protected override isMeant(database: string): boolean {
    return database.startsWith(this.#below);
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    const transaction = begin(names, mode, options);
    const storeOf = transaction.objectStore.bind(transaction);
    transaction.objectStore = (name) => {
      const store = storeOf(name);
      if (name !== this.#store || mode !== 'readwrite') return store;
      const put = store.put.bind(store);
      store.put = (value: { readonly entry?: string }): IDBRequest<IDBValidKey> => {
        if (value.entry === this.refuses) throw new DOMException('no room', 'QuotaExceededError');
        return put(value);
      };
      return store;
    };
    return transaction;
  }
}
