import { LIMITS } from '../../shared/limits.ts';
import { expect, test } from 'vitest';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { FULL, nth, Stage } from './write-stage.fixture.ts';

/** Bytes of an answer that leaves no room for another. */
const ALL = LIMITS.waitingSize - 1_024;

/** While `a` and `c` are being written, a newer `a` finds no room, and neither does its removal. */
async function outdated(): Promise<{ stage: Stage; stored: Promise<boolean>[] }> {
  const stage = new Stage();
  stage.isOpen = false;
  const stored = ['c', 'a'].map((key) => stage.order(nth(key, 1)));
  await settle();
  expect(stage.batches).toEqual([['a', 'c']]);
  void stage.order(nth('a', 2));
  for (const key of ['x', 'y', 'z']) void stage.order(nth(key, 1, ALL));
  return { stage, stored };
}

test('what is being written is not found where something newer was told since, and lost', async () => {
  const { stage } = await outdated();
  expect(stage.behind.find('a')).toEqual({ kind: 'absent' });
});

test('what a late database did not write is not found again where something newer was told since', async () => {
  const { stage } = await outdated();
  stage.fails = () => new DatabaseLate('late');
  stage.open();
  await settle();
  expect(stage.behind.find('a')).toEqual({ kind: 'absent' });
});

test('what could not be stored is settled, though something newer was lost since', async () => {
  const { stage, stored } = await outdated();
  stage.fails = (batch) => (batch.some(({ key, stored: each }) => key === 'a' && each) ? FULL : null);
  stage.open();
  await settle();
  await stage.clock.advance(60_000);
  expect(await Promise.all(stored.map(stateOf))).toEqual(['fulfilled', 'fulfilled']);
  expect(await stateOf(stage.behind.settled())).toBe('fulfilled');
});
