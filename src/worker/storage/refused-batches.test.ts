import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import { orderOf, record, replaceBy } from './record.fixture.ts';
import { WriteBehind } from './write-behind.ts';

/** A browser that has no room for any value, whatever is removed: other sites have filled the disk. */
class FilledDatabase extends FullDatabase {
  isFilled = false;

  constructor() {
    super();
    Object.defineProperty(this, 'isFull', { get: () => this.isFilled, set: () => {} });
  }
}

test('answers that are refused together and then one by one have half of the others give way, as does their removal', async () => {
  const [system, database] = [new FakeSystem(), new FilledDatabase()];
  const answers = new IdbResponses(system, database);
  const keys = Array.from({ length: 64 }, (_, n) => `stored ${n}`);
  for (const key of keys) await answers.update(key, replaceBy(record(key, 100)));
  const behind = new WriteBehind(
    system,
    async () => answers,
    async () => {},
  );
  database.isFilled = true;
  const stored = ['a', 'b', 'c', 'd'].map((key) => behind.add(orderOf(record(key, 100))));
  expect(await Promise.all(stored)).toEqual([false, false, false, false]);
  await behind.settled();
  expect(await answers.keys()).toHaveLength(16);
});
