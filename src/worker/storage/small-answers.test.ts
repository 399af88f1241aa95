import { expect, test } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import { record, replaceBy } from './record.fixture.ts';
import { recordOf, SIZE, state, whole } from './states.fixture.ts';

const SMALLEST_LARGE = 2_049;

/** The keys of bodies that lie apart from their records, and the numbers of stored byte deltas. */
async function apart(stage: AmendedStage): Promise<unknown> {
  return [await stage.keysIn('bodies'), await stage.patches()];
}

test('a small body lies in its record, where a later life finds it, and one that is larger apart from it', async () => {
  const stage = new AmendedStage();
  for (const size of [0, 3, SMALLEST_LARGE - 1, SMALLEST_LARGE])
    await stage.answers.update(`${size}`, replaceBy(record(`${size}`, size)));
  expect(await stage.keysIn('bodies')).toEqual([`${SMALLEST_LARGE}`]);
  const later = stage.nextLife();
  for (const size of [0, 3, SMALLEST_LARGE - 1, SMALLEST_LARGE]) {
    expect(await later.find(`${size}`)).toEqual(record(`${size}`, size));
    expect(await later.body(record(`${size}`, size))).toEqual(new Uint8Array(size).fill(1).buffer);
  }
});

test('leaves nothing of the larger one that it takes the place of, whether that had changes or not', async () => {
  const stage = await new AmendedStage().reach(4);
  await stage.answers.update('a', replaceBy(record('a')));
  expect(await apart(stage)).toEqual([[], []]);
  await stage.answers.update('a', whole('a', 1));
  await stage.answers.update('a', replaceBy(record('a', 5)));
  expect(await apart(stage)).toEqual([[], []]);
  expect(await stage.answers.body(record('a', 5))).toEqual(new Uint8Array(5).fill(1).buffer);
  expect(await stage.answers.usage()).toEqual({ entries: 1, bytes: 5 });
});

test('gives way to a larger one, which begins no log after it', async () => {
  const stage = new AmendedStage();
  await stage.answers.update('a', replaceBy(record('a')));
  await stage.answers.update('a', () => ({
    kind: 'amend',
    stored: recordOf('a', 2),
    from: record('a').revision,
    change: { runs: [0, 3, -1, 1], literal: new ArrayBuffer(1), size: SIZE },
    body: state(2).buffer,
  }));
  expect(await apart(stage)).toEqual([['a'], []]);
  expect(await stage.answers.body(recordOf('a', 2))).toEqual(state(2).buffer);
});

test('stays what it is while its description changes', async () => {
  const stage = new AmendedStage();
  await stage.answers.update('a', replaceBy(record('a')));
  const confirmed = { ...record('a'), receivedAt: 2_000 };
  await stage.answers.update('a', () => ({ kind: 'describe', stored: confirmed }));
  expect(await stage.answers.find('a')).toEqual(confirmed);
  expect(await stage.answers.body(confirmed)).toEqual(new Uint8Array(3).fill(1).buffer);
});

test('is gone when it is removed, or has given way', async () => {
  const stage = new AmendedStage(undefined, 2 * 1_024 + 6);
  for (const key of ['a', 'b', 'c']) await stage.answers.update(key, replaceBy(record(key)));
  expect(await stage.keysIn('responses')).toEqual(['b', 'c']);
  await stage.answers.remove('b');
  expect(await stage.keysIn('responses')).toEqual(['c']);
  expect(await stage.answers.usage()).toEqual({ entries: 1, bytes: 3 });
});

test('one in the place of a damaged record leaves nothing of what may have belonged to that', async () => {
  const stage = await new AmendedStage().reach(4);
  await stage.put('responses', { key: 'a', size: SIZE, usedAt: 1 });
  await stage.answers.update('a', replaceBy(record('a')));
  expect(await apart(stage)).toEqual([[], []]);
});

test('an answer that was spared, since it was looked at while others gave way, is the next to go', async () => {
  const stage = new AmendedStage(undefined, 2 * 1_024 + 6);
  const now = stage.system.clock.now();
  for (const key of ['a', 'b']) await stage.answers.update(key, replaceBy(record(key)));
  await stage.answers.carryOut([
    { key: 'a', usedAt: now + 1, orders: [{ decide: () => ({ kind: 'keep' }) }] },
    { key: 'c', usedAt: now + 0.0015, orders: [{ decide: replaceBy(record('c')) }] },
  ]);
  expect(await stage.keysIn('responses')).toEqual(['a', 'c']);
  await stage.answers.update('d', replaceBy(record('d')));
  expect(await stage.keysIn('responses')).toEqual(['c', 'd']);
  await stage.answers.update('e', replaceBy(record('e')));
  expect(await stage.keysIn('responses')).toEqual(['d', 'e']);
});
