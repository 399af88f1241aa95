import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { MemoryResponses } from './memory-responses.ts';
import { record, replaceBy } from './record.fixture.ts';

const CAPACITY = 100_000;

/** As much as servers send, and browsers take, in a header such as Content-Security-Policy. */
const LONG = 'x'.repeat(20_000);

test.each([
  [
    'a database',
    () =>
      new IdbResponses(
        new FakeSystem(),
        new Database({ clock: new VirtualClock(), indexedDB: new IDBFactory() }, 'default', () => {}),
        CAPACITY,
      ),
  ],
  ['memory', () => new MemoryResponses(CAPACITY)],
])('long headers count: what is stored in %s takes little more than it may', async (_where, make) => {
  const answers = make();
  for (let nth = 0; nth < 50; nth += 1)
    await answers.update(`a${nth}`, replaceBy(record(`a${nth}`, 0, { headers: [['x-long', LONG]] })));
  let stored = 0;
  for (const key of await answers.keys()) stored += JSON.stringify(await answers.find(key)).length;
  expect(stored).toBeLessThan(2 * CAPACITY);
  expect(stored).toBeGreaterThan(LONG.length);
});
