import { expect, test } from 'vitest';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { FULL, nth, Stage } from './write-stage.fixture.ts';

/** A stage on which `a` is being written and `b` waits. */
async function busy(): Promise<{ readonly stage: Stage; readonly told: Promise<boolean[]> }> {
  const stage = new Stage();
  stage.isOpen = false;
  const first = stage.order(nth('a', 1));
  await settle();
  return { stage, told: Promise.all([first, stage.order(nth('b', 1))]) };
}

test('what waits when all is cleared is never written, and what is being written goes', async () => {
  const { stage, told } = await busy();
  const clearing = stage.behind.clear(() => stage.place.clear());
  expect(await told).toEqual([false, false]);
  expect([stage.behind.find('a'), stage.behind.find('b')]).toEqual([null, null]);
  expect(await stateOf(clearing)).toBe('pending');
  stage.open();
  await clearing;
  await stage.behind.settled();
  expect([stage.batches, await stage.place.usage()]).toEqual([[['a']], { entries: 0, bytes: 0 }]);
});

test.each([
  ['cannot be stored', () => FULL],
  ['is late', () => new DatabaseLate('late')],
])('what %s when all is cleared is not written again', async (_what, failure) => {
  const stage = new Stage();
  stage.isOpen = false;
  void stage.order(nth('a', 1));
  void stage.order(nth('b', 1));
  await settle();
  stage.fails = failure;
  const clearing = stage.behind.clear(() => stage.place.clear());
  stage.open();
  await clearing;
  stage.fails = () => null;
  await stage.clock.advance(60_000);
  expect([stage.batches, await stage.place.usage()]).toEqual([[['b', 'a']], { entries: 0, bytes: 0 }]);
});

test('what is ordered while all is being cleared is stored after that', async () => {
  const { stage } = await busy();
  const clearing = stage.behind.clear(() => stage.place.clear());
  const later = stage.order(nth('a', 2));
  stage.open();
  await clearing;
  expect([await later, await stage.place.find('a')]).toEqual([true, nth('a', 2)]);
});

test('where nothing can be cleared, nothing older is found than what waited', async () => {
  const stage = new Stage();
  await stage.order(nth('a', 1));
  stage.fails = () => FULL;
  void stage.order(nth('a', 2));
  const clearing = stage.behind.clear(async () => {
    throw FULL;
  });
  await expect(clearing).rejects.toBe(FULL);
  expect(stage.behind.find('a')).toEqual({ kind: 'absent' });
});
