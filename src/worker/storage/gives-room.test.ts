import { expect, test } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import { FullDatabase } from './full-database.fixture.ts';
import { IdbLoops } from './idb-loops.ts';
import { loop } from './loop-record.fixture.ts';
import { record, replaceBy } from './record.fixture.ts';

async function full(size: number): Promise<[AmendedStage, FullDatabase]> {
  const database = new FullDatabase();
  const stage = new AmendedStage(database);
  for (const key of ['a', 'b', 'c', 'd']) await stage.answers.update(key, replaceBy(record(key, size)));
  return [stage, database];
}

test('a note that an answer was used costs no other answer its place', async () => {
  const [stage, database] = await full(100);
  await stage.system.clock.advance(3_600_001);
  database.isFull = true;
  expect((await stage.answers.body(record('d', 100)))?.byteLength).toBe(100);
  for (let turn = 0; turn < 10; turn += 1) await stage.answers.usage();
  expect(await stage.answers.keys()).toEqual(['a', 'b', 'c', 'd']);
});

test('answers without a body give way, too', async () => {
  const [stage, database] = await full(0);
  database.isFull = true;
  await stage.answers.update('new', replaceBy(record('new', 10)));
  expect(await stage.answers.keys()).toEqual(['c', 'd', 'new']);
});

test('answers without a body give way to the state of a loop', async () => {
  const [stage, database] = await full(0);
  database.isFull = true;
  await new IdbLoops(stage.system.clock, database).save(loop('loop'), null);
  expect(await stage.answers.keys()).toEqual(['c', 'd']);
});
