import { LIMITS } from '../../shared/limits.ts';
import { expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { nth, Stage } from './write-stage.fixture.ts';

/** A stage on which all that is ordered waits. */
async function busy(): Promise<Stage> {
  const stage = new Stage();
  await stage.order(nth('a', 1));
  stage.isOpen = false;
  void stage.order(nth('busy', 1));
  await settle();
  return stage;
}

function describeAs(stage: Stage, stored: StoredResponse): void {
  void stage.order(stored, {
    body: null,
    follows: true,
    decide: (current) => (current ? { kind: 'describe', stored } : { kind: 'keep' }),
  });
}

test('that a write has outdated an answer is stored, however many descriptions of it wait', async () => {
  const stage = await busy();
  for (let n = 1; n <= 40; n += 1) describeAs(stage, { ...nth('a', 1), receivedAt: n * 10_000 });
  describeAs(stage, { ...nth('a', 1), isOutdated: true });
  stage.open();
  await stage.behind.settled();
  expect(await stage.place.find('a')).toEqual({ ...nth('a', 1), isOutdated: true });
});

test('that a write has outdated an answer is stored with it, however large that is', async () => {
  const stage = await busy();
  const large = nth('a', 2, LIMITS.waitingSize);
  void stage.order(large);
  describeAs(stage, { ...large, isOutdated: true });
  stage.open();
  await stage.behind.settled();
  expect(await stage.place.find('a')).toEqual({ ...large, isOutdated: true });
});
