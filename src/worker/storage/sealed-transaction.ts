import type { Cipher } from './cipher.ts';
import { KeptOpen } from './kept-open.ts';
import { openedBody, openedValue, sealedBody, sealedValue } from './sealed-value.ts';
import type { ReadableIndex, StoreName, Transaction, WritableStore } from './transaction.ts';

/**
 * A transaction that encrypts what is written, and decrypts what is read: the one place where that happens. WebCrypto
 * takes its time, so the transaction is kept open meanwhile; requests are made in the order in which they are asked for.
 */
export class SealedTransaction implements Transaction<'readwrite'> {
  readonly #transaction: Transaction<'readwrite'>;
  readonly #cipher: Cipher;
  readonly #open: KeptOpen;

  /** `first` is one of the transaction's stores. */
  constructor(transaction: Transaction<'readwrite'>, first: StoreName, cipher: Cipher) {
    this.#transaction = transaction;
    this.#cipher = cipher;
    this.#open = new KeptOpen(() => transaction.objectStore(first).getKey(NOTHING));
  }

  objectStore(name: StoreName): WritableStore {
    const store = this.#transaction.objectStore(name);
    return name === 'meta' ? store : new SealedStore(name, store, this.#cipher, this.#open);
  }
}

/** No key of ours is a number. */
const NOTHING = 0;

class SealedStore implements WritableStore {
  readonly #name: Exclude<StoreName, 'meta'>;
  readonly #store: WritableStore;
  readonly #cipher: Cipher;
  readonly #open: KeptOpen;

  constructor(name: Exclude<StoreName, 'meta'>, store: WritableStore, cipher: Cipher, open: KeptOpen) {
    this.#name = name;
    this.#store = store;
    this.#cipher = cipher;
    this.#open = open;
  }

  async get(key: IDBValidKey): Promise<unknown> {
    await this.#open.turn();
    const found = await this.#store.get(key);
    return found === undefined ? undefined : this.#open.until(this.#opened(found, key));
  }

  async getAll(range?: IDBKeyRange | null, limit?: number): Promise<unknown[]> {
    await this.#open.turn();
    const found = await this.#store.getAll(range, limit);
    return this.#open.until(Promise.all(found.map((each) => this.#opened(each, null))));
  }

  async getAllKeys(range?: IDBKeyRange | null, limit?: number): Promise<IDBValidKey[]> {
    await this.#open.turn();
    return this.#store.getAllKeys(range, limit);
  }

  getKey(key: IDBValidKey): Promise<unknown> {
    return this.#store.getKey(key);
  }

  index(name: string): ReadableIndex {
    return this.#store.index(name);
  }

  async put(value: unknown, key?: IDBValidKey): Promise<unknown> {
    const sealed = await this.#open.until(this.#sealed(value, key));
    return this.#store.put(sealed, key);
  }

  async delete(key: IDBValidKey | IDBKeyRange): Promise<unknown> {
    await this.#open.turn();
    return this.#store.delete(key);
  }

  async clear(): Promise<unknown> {
    await this.#open.turn();
    return this.#store.clear();
  }

  #sealed(value: unknown, key: IDBValidKey | undefined): Promise<object> {
    return this.#name === 'bodies'
      ? sealedBody(this.#cipher, key, value)
      : sealedValue(this.#cipher, this.#name, value);
  }

  /** `key` is null where the value has its key in itself. */
  #opened(value: unknown, key: IDBValidKey | null): Promise<unknown> {
    return this.#name === 'bodies'
      ? openedBody(this.#cipher, key, value)
      : openedValue(this.#cipher, this.#name, value);
  }
}
