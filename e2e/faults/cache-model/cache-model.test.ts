import { expect, test } from 'vitest';
import { planOf } from '../model/run.ts';
import type { Tally } from '../model/run.ts';
import { differencesIn, PATIENCE, RUNS } from '../model/tested.ts';
import { cacheModel } from './world.ts';

test(
  'whatever is read, written, cleared and signed in, what pages are told is as RFC 9111 has it, and their own',
  async ({ signal }) => {
    const tally: Tally = { requests: 0, outcomes: new Map() };
    expect(await differencesIn(cacheModel, tally, signal)).toBe('');
    // A world in which nothing happens is as any model has it. One run alone may be of little.
    if (RUNS === 1) return;
    for (const from of ['network', 'cache']) expect(tally.outcomes.get(from)).toBeGreaterThan(RUNS);
    expect(tally.outcomes.get('stale')).toBeGreaterThan(RUNS / 10);
  },
  PATIENCE,
);

test('a run depends on its seed alone', async () => {
  const plan = planOf(cacheModel, 7);
  expect(await cacheModel.play(plan)).toEqual(await cacheModel.play(plan));
});
