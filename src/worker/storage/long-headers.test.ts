import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { IdbResponses } from './idb-responses.ts';
import { MemoryResponses } from './responses.ts';
import { Partitions } from './partitions.ts';
import { record, replaceBy } from './record.fixture.ts';

const CAPACITY = 100_000;

/** As much as servers send, and browsers take, in a header such as Content-Security-Policy. */
const LONG = 'x'.repeat(20_000);

const inDatabase = (isEncrypted: boolean) => (): IdbResponses => {
  const system = new FakeSystem();
  const database = new Partitions(system, '/', () => {}, isEncrypted).open('default');
  return new IdbResponses(system, database, CAPACITY);
};

const places = [
  ['a database', inDatabase(false)],
  ['an encrypted database', inDatabase(true)],
  ['memory', () => new MemoryResponses(CAPACITY)],
] as const;

test.each(places)(
  'long headers count: %s holds as many answers as they leave room for, and no more',
  async (_where, make) => {
    const answers = make();
    for (let nth = 0; nth < 20; nth += 1) {
      await answers.update(`a${nth}`, replaceBy(record(`a${nth}`, 0, { headers: [['x-long', LONG]] })));
      expect(await answers.keys()).toHaveLength(Math.min(nth + 1, Math.floor(CAPACITY / LONG.length) - 1));
    }
  },
);

test.each(places)('so does a long ETag of a newer version, in %s', async (_where, make) => {
  const answers = make();
  for (let nth = 0; nth < 20; nth += 1) {
    await answers.update(`a${nth}`, replaceBy(record(`a${nth}`, 0)));
    await answers.update(`a${nth}`, () => ({
      kind: 'describe',
      stored: record(`a${nth}`, 0, { newer: LONG }),
    }));
  }
  expect((await answers.keys()).length).toBeLessThan(CAPACITY / LONG.length);
});
