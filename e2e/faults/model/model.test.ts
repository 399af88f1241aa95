import { expect, test } from 'vitest';
import { find, planOf } from './run.ts';
import type { Tally } from './run.ts';
import { pagesModel } from './world.ts';

const FIRST = Number(process.env['MODEL_SEED'] ?? 1);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 200);

/** Milliseconds that runs may take on a busy machine. */
const PATIENCE = 60_000 + RUNS * 1_000;

test(
  'whatever happens to three pages, their worker, the disk and the server, is as the model has it',
  async () => {
    const tally: Tally = { requests: 0, outcomes: new Map() };
    const findings: string[] = [];
    for (let seed = FIRST; seed < FIRST + RUNS && findings.length < 3; seed += 1) {
      const finding = await find(pagesModel, seed, tally);
      if (finding !== null) findings.push(finding);
    }
    expect(findings.join('\n')).toBe('');
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
