import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import type { StoreName, Transaction } from './database.ts';
import { IDBFactory } from './indexeddb.fixture.ts';

/** Refuses what was written in a transaction as a full disk does, at its end; `refusals` says which ones. */
export class FullDatabase extends Database {
  readonly refusals: boolean[] = [];

  constructor() {
    super({ clock: new VirtualClock(), indexedDB: new IDBFactory() }, 'default', () => {});
  }

  override transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    const isRefused = mode === 'readwrite' && this.refusals.shift() === true;
    return super.transact(stores, mode, async (transaction) => {
      const result = await work(transaction);
      if (isRefused) throw new DOMException('full', 'QuotaExceededError');
      return result;
    });
  }
}
