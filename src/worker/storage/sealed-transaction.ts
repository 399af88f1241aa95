import type { Cipher } from './cipher.ts';
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

  async count(): Promise<number> {
    await this.#open.turn();
    return this.#store.count();
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

/** Work that a transaction waits for; `hand` gives its result, or its error, to whoever asked for it. */
interface Step {
  readonly fail: (error: unknown) => void;
  hand: (() => void) | null;
}

/**
 * Keeps a transaction open for work outside of the database. It would end as soon as nothing is asked of it, so it is
 * asked for something small until the work is done. Results are handed out while it takes requests, in the order in
 * which the work was given.
 */
export class KeptOpen {
  readonly #ask: () => Promise<unknown>;
  readonly #steps: Step[] = [];
  #isAsking = false;

  /** `ask` makes the smallest request of the transaction. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  /** Resolves after all work that was given before. */
  turn(): Promise<void> {
    return this.#steps.length === 0 ? Promise.resolve() : this.until(Promise.resolve());
  }

  /** Rejects with what the work rejects with, and when the transaction has ended before it is done. */
  until<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const step: Step = { fail: reject, hand: null };
      work.then(
        (result) => (step.hand = () => resolve(result)),
        (error: unknown) => (step.hand = () => reject(error)),
      );
      this.#steps.push(step);
      if (!this.#isAsking) void this.#keep();
    });
  }

  async #keep(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#steps.length > 0) {
        await this.#ask();
        this.#handOut();
      }
    } catch (error) {
      for (const { fail } of this.#steps.splice(0)) fail(error);
    }
    this.#isAsking = false;
  }

  #handOut(): void {
    const waiting = this.#steps.findIndex(({ hand }) => hand === null);
    for (const { hand } of this.#steps.splice(0, waiting < 0 ? this.#steps.length : waiting)) hand?.();
  }
}
