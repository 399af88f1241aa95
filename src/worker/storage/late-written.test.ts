import { expect, test } from 'vitest';
import { AmendedStage } from './amended-stage.fixture.ts';
import type { Written } from './idb-responses.ts';
import { orderOf, record, replaceBy } from './record.fixture.ts';
import { WriteBehind } from './write-behind.ts';

/** Room for two answers of three bytes. */
const TWO = 2 * 1_024 + 6;

function written(key: string, usedAt: number): Written {
  return { key, usedAt, orders: [{ decide: replaceBy(record(key)) }] };
}

test('of two answers the older gives way first, though it was written last', async () => {
  const { answers } = new AmendedStage(undefined, TWO);
  await answers.carryOut([written('newer', 2_000)]);
  await answers.carryOut([written('older', 1_000)]);
  await answers.carryOut([written('newest', 3_000)]);
  expect(await answers.keys()).toEqual(['newer', 'newest']);
});

test('an answer is found when others are to give way, though it is older than all that gave way before', async () => {
  const { answers } = new AmendedStage(undefined, TWO);
  for (const [n, key] of ['a', 'b', 'c', 'd'].entries()) await answers.carryOut([written(key, 5_000 + n)]);
  expect(await answers.keys()).toEqual(['c', 'd']);
  await answers.carryOut([written('late', 1_000)]);
  expect(await answers.keys()).toEqual(['d', 'late']);
  await answers.carryOut([written('e', 6_000)]);
  expect(await answers.keys()).toEqual(['d', 'e']);
});

test('answers that come together are used in the order in which they came, whichever is written first', async () => {
  const stage = new AmendedStage(undefined, TWO);
  const behind = new WriteBehind(
    stage.system,
    async () => stage.answers,
    async () => {},
  );
  const [a, b] = [behind.add(orderOf(record('a'))), behind.add(orderOf(record('b')))];
  expect(await Promise.all([a, b])).toEqual([true, true]);
  await behind.add(orderOf(record('c')));
  expect(await stage.answers.keys()).toEqual(['b', 'c']);
});
