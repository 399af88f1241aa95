import { expect, test, vi } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { AmendedStage } from './amended-stage.fixture.ts';
import { Database } from './database.ts';
import { USAGE } from './eviction.ts';
import { IdbResponses } from './idb-responses.ts';
import { record, replaceBy } from './record.fixture.ts';

test('counting decrypts nothing', async () => {
  const system = new FakeSystem();
  const database = new Database(system, 'default', () => {}, { isEncrypted: true });
  const answers = new IdbResponses(system, database);
  for (const key of ['a', 'b', 'c']) await answers.update(key, replaceBy(record(key)));
  await (await database.connect())?.connection.delete('meta', USAGE);
  const cipher = database.cipher;
  const opening = cipher && vi.spyOn(cipher, 'open');
  expect(await answers.usage()).toEqual({ entries: 3, bytes: 9 });
  expect(opening).toHaveBeenCalledTimes(0);
});

test('what is written counts, though the last of its orders changes nothing', async () => {
  const { answers } = new AmendedStage();
  await answers.update('a', replaceBy(record('a')));
  await answers.carryOut([
    {
      key: 'b',
      usedAt: 1,
      orders: [{ decide: replaceBy(record('b')) }, { decide: () => ({ kind: 'keep' }) }],
    },
  ]);
  expect(await answers.usage()).toEqual({ entries: 2, bytes: 6 });
});

test.each([
  ['each was used at a time of its own', (n: number): number => n],
  ['many were used at one time', (n: number): number => Math.floor(n / 700)],
])('each of 1,501 answers is counted once where %s', async (_times, usedAt) => {
  const { database, answers } = new AmendedStage();
  await database.transact(['responses'], 'readwrite', async (transaction) => {
    const responses = transaction.objectStore('responses');
    for (let n = 0; n <= 1_500; n += 1) await responses.put({ ...record(`${n}`, 2), usedAt: usedAt(n) });
  });
  expect(await answers.usage()).toEqual({ entries: 1_501, bytes: 3_002 });
});
