import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbLoops } from './idb-loops.ts';
import { IdbResponses } from './idb-responses.ts';
import { loop } from './loop-record.fixture.ts';
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

/** 64 answers are stored when the browser has no more room. */
async function filled(): Promise<{ system: FakeSystem; database: FilledDatabase; answers: IdbResponses }> {
  const [system, database] = [new FakeSystem(), new FilledDatabase()];
  const answers = new IdbResponses(system, database);
  const keys = Array.from({ length: 64 }, (_, n) => `stored ${n}`);
  for (const key of keys) await answers.update(key, replaceBy(record(key, 100)));
  database.isFilled = true;
  return { system, database, answers };
}

test('answers that are refused together and then one by one have half of the others give way, as does their removal', async () => {
  const { system, answers } = await filled();
  const behind = new WriteBehind(
    system,
    async () => answers,
    async () => {},
  );
  const stored = ['a', 'b', 'c', 'd'].map((key) => behind.add(orderOf(record(key, 100))));
  expect(await Promise.all(stored)).toEqual([false, false, false, false]);
  await behind.settled();
  expect(await answers.keys()).toHaveLength(16);
});

test('answers that gave way in vain are the last to do so, until half a minute has passed', async () => {
  const { database, answers } = await filled();
  const isFull = { name: 'QuotaExceededError' };
  for (let n = 0; n < 8; n += 1) {
    await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toMatchObject(isFull);
  }
  expect(await answers.keys()).toHaveLength(32);
  await database.virtualClock.advance(30_001);
  await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toMatchObject(isFull);
  expect(await answers.keys()).toHaveLength(16);
});

test('answers give way to the state of a loop, though others gave way in vain just before', async () => {
  const { system, database, answers } = await filled();
  await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toThrow('full');
  await expect(new IdbLoops(system.clock, database).save(loop('loop'), null)).rejects.toThrow('full');
  expect(await answers.keys()).toHaveLength(16);
});

test('once a write finds room, answers give way to the next that does not', async () => {
  const { database, answers } = await filled();
  await expect(answers.update('new', replaceBy(record('new', 100)))).rejects.toThrow('full');
  database.isFilled = false;
  await answers.update('new', replaceBy(record('new', 100)));
  database.isFilled = true;
  await expect(answers.update('newer', replaceBy(record('newer', 100)))).rejects.toThrow('full');
  expect(await answers.keys()).toHaveLength(16);
});
