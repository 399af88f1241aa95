import { expect, test } from 'vitest';
import { planOf } from '../model/run.ts';
import type { Tally } from '../model/run.ts';
import { differencesIn, PATIENCE, RUNS } from '../model/tested.ts';
import { outboxModel } from './world.ts';

test(
  'writes that wait are performed once, in order, for their users, and lists show them, as the model has it',
  async ({ signal }) => {
    const tally: Tally = { requests: 0, outcomes: new Map() };
    expect(await differencesIn(outboxModel, tally, signal)).toBe('');
    // A world in which nothing happens is as any model has it. One run alone may be of little.
    if (RUNS === 1) return;
    expect(tally.requests).toBeGreaterThan(20 * RUNS);
    expect(tally.outcomes.get('performed')).toBeGreaterThan(5 * RUNS);
    for (const outcome of ['refused', 'temporary id', 'lost answer'])
      expect(tally.outcomes.get(outcome)).toBeGreaterThan(RUNS / 2);
    for (const outcome of ['discarded', 'edited', 'failed', 'databases lost', 'copies fail'])
      expect(tally.outcomes.get(outcome)).toBeGreaterThan(RUNS / 20);
  },
  PATIENCE,
);

test('a run depends on its seed alone', async () => {
  const plan = planOf(outboxModel, 7);
  expect(await outboxModel.play(plan)).toEqual(await outboxModel.play(plan));
});
