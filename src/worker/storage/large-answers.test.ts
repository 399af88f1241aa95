import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { Database } from './database.ts';
import type { StoreName, Transaction } from './database.ts';
import { watched } from './full-database.fixture.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import type { Written } from './idb-responses.ts';
import { record, replaceBy } from './record.fixture.ts';

/** Milliseconds that a request takes, in Chromium (decision 44). */
const REQUEST = 0.3;

/** A database whose requests take their time, so that a transaction of too many is late. */
class SlowDatabase extends Database {
  constructor() {
    super({ clock: new VirtualClock(), indexedDB: new IDBFactory() }, 'default', () => {});
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
        if (took > LIMITS.transaction) throw new DatabaseLate('late');
      };
      return work(watched(transaction, count));
    });
  }
}

/** Stores an answer without a body. */
function emptyOne(key: string): Written {
  return { key, usedAt: 1, orders: [{ decide: replaceBy(record(key, 0)) }] };
}

test('a large answer takes the place of many small ones in transactions that end in time', async () => {
  const database = new SlowDatabase();
  const capacity = 10_000 * 1_024;
  const answers = new IdbResponses(new FakeSystem(), database, capacity);
  for (let n = 0; n < 9_999; n += 200) {
    const keys = Array.from({ length: Math.min(200, 9_999 - n) }, (_, index) => `${n + index}`);
    await answers.carryOut(keys.map(emptyOne));
  }
  const photo = record('photo', 8_000 * 1_024);
  await answers.update('photo', replaceBy(photo));
  expect(await answers.find('photo')).toEqual(photo);
  const { entries, bytes } = await answers.usage();
  expect(bytes + entries * 1_024).toBeLessThanOrEqual(capacity);
});
