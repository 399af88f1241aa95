import { IDBFactory } from '../storage/indexeddb.fixture.ts';

/** Databases that have no room for one entry in the store of that name, as for one that is large. */
export class RefusingFactory extends IDBFactory {
  refuses = '';
  readonly #store: string;
  readonly #below: string;

  /** `below`: only databases whose names begin so. */
  constructor(store: string, below = '') {
    super();
    [this.#store, this.#below] = [store, below];
  }

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    if (name.startsWith(this.#below)) request.addEventListener('success', () => this.#watch(request.result));
    return request;
  }

  #watch(database: IDBDatabase): void {
    const begin = database.transaction.bind(database);
    database.transaction = (names, mode, options): IDBTransaction => {
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
    };
  }
}
