import type { Clock } from '../platform/system.ts';
import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';

/**
 * Databases of waiting writes on a disk that takes its time to read, and to write where `writes` is set: a transaction stays open until all
 * of that is done.
 */
export class SlowReads extends FaultyDisk {
  clock: Pick<Clock, 'now'> = { now: () => 0 };
  isSlow = false;
  /** Milliseconds that each reading transaction takes at least. */
  latency = 0;
  /** True where it writes as slowly as it reads. */
  writes = false;
  /** Bytes that it reads in a millisecond. */
  readonly #rate: number;

  constructor(rate: number) {
    super();
    this.#rate = rate;
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    const transaction = begin(names, mode, options);
    if (this.isSlow && (mode === 'readonly' || this.writes)) this.#slowDown(transaction);
    return transaction;
  }

  #slowDown(transaction: IDBTransaction): void {
    const storeOf = transaction.objectStore.bind(transaction);
    let until = this.clock.now() + this.latency;
    let isHeld = false;
    const hold = (store: IDBObjectStore): void => {
      isHeld = this.clock.now() < until;
      if (!isHeld) return;
      try {
        store.count().addEventListener('success', () => hold(store));
      } catch {
        // It was aborted.
      }
    };
    const wait = (store: IDBObjectStore, bytes: number): void => {
      until = Math.max(until, this.clock.now()) + bytes / this.#rate;
      if (!isHeld) hold(store);
    };
    // The same store is the same object.
    const slowed = new Set<IDBObjectStore>();
    transaction.objectStore = (name) => {
      const store = storeOf(name);
      if (slowed.has(store)) return store;
      slowed.add(store);
      const [get, getAll, put] = [store.get.bind(store), store.getAll.bind(store), store.put.bind(store)];
      const read = <R extends IDBRequest>(request: R): R => {
        request.addEventListener('success', () => wait(store, sizeOf(request.result)));
        return request;
      };
      store.get = (...given) => read(get(...given));
      store.getAll = (...given) => read(getAll(...given));
      store.put = (...given) => {
        const request = put(...given);
        if (this.writes) wait(store, sizeOf(given[0]));
        return request;
      };
      return store;
    };
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof ArrayBuffer) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
}
