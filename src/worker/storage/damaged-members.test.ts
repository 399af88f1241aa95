import { expect, test } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import { USAGE } from './eviction.ts';
import { record, replaceBy } from './record.fixture.ts';

test.each([
  ['parts of a byte', 3.5],
  ['more bytes than there can be', 1e300],
  ['bytes without end', Infinity],
])(
  'a size of %s costs no other answer its place, nor has all be counted with each write',
  async (_what, size) => {
    const stage = new AmendedStage(undefined, 20_000);
    for (const key of ['a', 'b', 'c']) await stage.answers.update(key, replaceBy(record(key, 100)));
    await stage.put('responses', { ...record('c', 100), size, usedAt: 1 });
    await stage.put('meta', undefined, USAGE);
    await stage.answers.update('d', replaceBy(record('d', 100)));
    expect(await stage.answers.keys()).toEqual(['a', 'b', 'c', 'd']);
    const usage = await stage.database.transact(['meta'], 'readonly', (transaction) =>
      transaction.objectStore('meta').get(USAGE),
    );
    expect(Number.isSafeInteger(Object(usage).bytes)).toBe(true);
  },
);

test('an answer whose key is no text gives way like the others, and they with it', async () => {
  const stage = new AmendedStage(undefined, 3 * 1_024 + 9);
  await stage.put('responses', { ...record('a'), key: 5, usedAt: 1 });
  for (const key of ['a', 'b', 'c', 'd', 'e']) await stage.answers.update(key, replaceBy(record(key)));
  expect(await stage.keysIn('responses')).toEqual(['c', 'd', 'e']);
});

test('a large answer whose size is damaged leaves nothing when it gives way', async () => {
  const stage = new AmendedStage(undefined, 2 * 1_024 + 6);
  await new AmendedStage(stage.database).answers.update('a', replaceBy(record('a', 3_000)));
  await stage.put('responses', { ...record('a', 3), usedAt: 1 });
  for (const key of ['b', 'c']) await stage.answers.update(key, replaceBy(record(key)));
  expect([await stage.keysIn('responses'), await stage.keysIn('bodies')]).toEqual([['b', 'c'], []]);
});

test('a time of use that cannot be does not mix up the order in which others give way', async () => {
  const stage = new AmendedStage(undefined, 3 * 1_024 + 9);
  await stage.answers.update('z', replaceBy(record('z')));
  await stage.put('responses', { ...record('z'), body: new ArrayBuffer(3), usedAt: 1e300 });
  const later = stage.nextLife();
  for (const key of ['c', 'a', 'b', 'd']) await later.update(key, replaceBy(record(key)));
  expect(await later.keys()).toEqual(['b', 'd', 'z']);
});
