import { LIMITS } from '../../shared/limits.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import type { DatabaseOptions, StoreName, Transaction } from './database.ts';
import { watched } from './full-database.fixture.ts';
import { IDBFactory } from './indexeddb.fixture.ts';

/** Milliseconds that a request takes, in Chromium (decision 44). */
const REQUEST = 0.3;

/** A database whose requests take their time, so that a transaction of too many is late. */
export class SlowDatabase extends Database {
  /** How many of its transactions were late. */
  late = 0;

  constructor(partition: string, options: DatabaseOptions = {}) {
    super({ clock: new VirtualClock(), indexedDB: new IDBFactory() }, partition, () => {}, options);
  }

  override transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    return super.transact(stores, mode, (transaction) => {
      let took = 0;
      const count = (name: string): void => {
        if (name === 'objectStore' || name === 'index') return;
        took += REQUEST;
        if (took <= LIMITS.transaction) return;
        this.late += 1;
        throw new DatabaseLate('late');
      };
      return work(watched(transaction, count));
    });
  }
}
