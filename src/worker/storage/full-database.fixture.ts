import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import type { DatabaseOptions, StoreName, Transaction } from './database.ts';
import { IDBFactory } from './indexeddb.fixture.ts';

/** Refuses what was written in a transaction as a full disk does, at its end; `refusals` says which ones. */
export class FullDatabase extends Database {
  readonly refusals: boolean[] = [];
  /** True if there is no room for any value, until something is removed. */
  isFull = false;

  readonly virtualClock: VirtualClock;

  constructor(options: DatabaseOptions = {}) {
    const clock = new VirtualClock();
    super({ clock, indexedDB: new IDBFactory() }, 'default', () => {}, options);
    this.virtualClock = clock;
  }

  override transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    const isRefused = mode === 'readwrite' && this.refusals.shift() === true;
    return super.transact(stores, mode, async (transaction) => {
      const calls = new Set<string>();
      const result = await work(watched(transaction, (name) => calls.add(name)));
      if (isRefused || (this.isFull && calls.has('put')))
        throw new DOMException('full', 'QuotaExceededError');
      if (calls.has('delete')) this.isFull = false;
      return result;
    });
  }
}

/** The same transaction, store or index, which tells the methods that are called, and what they are given. */
export function watched<T extends object>(
  object: T,
  tell: (name: string, given: readonly unknown[]) => void,
): T {
  return new Proxy(object, {
    get(_object, name) {
      const member: unknown = Reflect.get(object, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        tell(String(name), given);
        const result: unknown = Reflect.apply(member, object, given);
        return name === 'objectStore' || name === 'index' ? watched(Object(result), tell) : result;
      };
    },
  });
}
