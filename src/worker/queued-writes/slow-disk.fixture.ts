import type { Clock } from '../platform/system.ts';
import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';

/** Databases of waiting writes on a disk that takes its time: a transaction stays open until it has read, or its bodies are written. */
export class SlowDisk extends FaultyDisk {
  clock: Pick<Clock, 'now'> = { now: () => 0 };
  /** Milliseconds that a reading transaction takes. */
  latency = 0;
  /** Bytes of bodies that it writes in a millisecond. */
  readonly #rate: number;

  constructor(rate: number) {
    super();
    this.#rate = rate;
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    const transaction = begin(names, mode, options);
    const all = typeof names === 'string' ? [names] : [...names];
    if (mode === 'readwrite' && all.includes('payloads')) this.#slowDown(transaction);
    if (mode === 'readonly' && this.latency > 0) this.#delay(transaction);
    return transaction;
  }

  #delay(transaction: IDBTransaction): void {
    const storeOf = transaction.objectStore.bind(transaction);
    const until = this.clock.now() + this.latency;
    transaction.objectStore = (name) => {
      transaction.objectStore = storeOf;
      const store = storeOf(name);
      this.#hold(store, () => this.clock.now() < until);
      return store;
    };
  }

  #hold(store: IDBObjectStore, isHeld: () => boolean): void {
    if (!isHeld()) return;
    try {
      store.count().addEventListener('success', () => this.#hold(store, isHeld));
    } catch {
      // It was aborted.
    }
  }

  #slowDown(transaction: IDBTransaction): void {
    const storeOf = transaction.objectStore.bind(transaction);
    let until = 0;
    let isHeld = false;
    const mayHold = (): boolean => (isHeld = this.clock.now() < until);
    transaction.objectStore = (name) => {
      const store = storeOf(name);
      if (name !== 'payloads') return store;
      const put = store.put.bind(store);
      store.put = (value: { readonly body: { readonly bytes?: ArrayBuffer } }): IDBRequest<IDBValidKey> => {
        until = Math.max(until, this.clock.now()) + (value.body.bytes?.byteLength ?? 0) / this.#rate;
        if (!isHeld) this.#hold(store, mayHold);
        return put(value);
      };
      return store;
    };
  }
}
