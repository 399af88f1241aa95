import { expect, test } from 'vitest';
import { planOf } from './run.ts';
import type { Tally } from './run.ts';
import { differencesIn, PATIENCE, RUNS } from './tested.ts';
import { pagesModel } from './world.ts';

test(
  'whatever happens to three pages, their worker, the disk and the server, is as the model has it',
  async ({ signal }) => {
    const tally: Tally = { requests: 0, outcomes: new Map() };
    expect(await differencesIn(pagesModel, tally, signal)).toBe('');
    // A world in which nothing happens is as any model has it. One run alone may be of little.
    if (RUNS === 1) return;
    expect(tally.requests).toBeGreaterThan(20 * RUNS);
    expect(tally.outcomes.get('success')).toBeGreaterThan(RUNS);
  },
  PATIENCE,
);

test('a run depends on its seed alone', async () => {
  const plan = planOf(pagesModel, 7);
  expect(await pagesModel.play(plan)).toEqual(await pagesModel.play(plan));
});
