import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import type { Written } from './idb-responses.ts';
import { record, replaceBy } from './record.fixture.ts';

/** Room for twenty answers of three bytes. */
const TWENTY = 20 * (1_024 + 3);

function written(key: string, usedAt: number): Written {
  return { key, usedAt, orders: [{ decide: replaceBy(record(key)) }] };
}

test('an older answer that another engine has written since gives way first', async () => {
  const [system, database] = [new FakeSystem(), new FullDatabase()];
  const one = new IdbResponses(system, database, TWENTY);
  const other = new IdbResponses(system, database, TWENTY);
  await other.carryOut([written('first', 500)]);
  for (let n = 0; n < 40; n += 1) await one.carryOut([written(`a ${n}`, 5_000 + n)]);
  await other.carryOut([written('late', 1_000)]);
  expect(await one.keys()).toContain('late');
  await one.carryOut([written('e', 6_000)]);
  expect(await one.keys()).not.toContain('late');
});
