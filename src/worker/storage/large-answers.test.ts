import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import type { Written } from './idb-responses.ts';
import { record, replaceBy } from './record.fixture.ts';
import { SlowDatabase } from './slow-database.fixture.ts';

/** Stores an answer without a body. */
function emptyOne(key: string): Written {
  return { key, usedAt: 1, orders: [{ decide: replaceBy(record(key, 0)) }] };
}

test('a large answer takes the place of many small ones in transactions that end in time', async () => {
  const database = new SlowDatabase('default');
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
