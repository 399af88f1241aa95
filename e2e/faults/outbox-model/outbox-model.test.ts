import { expect, test } from 'vitest';
import { find, planOf } from '../model/run.ts';
import type { Tally } from '../model/run.ts';
import { outboxModel } from './world.ts';

const FIRST = Number(process.env['MODEL_SEED'] ?? 1);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 200);

/** Milliseconds that runs may take on a busy machine. */
const PATIENCE = 60_000 + RUNS * 1_000;

test(
  'writes that wait are performed once, in order, for their users, and lists show them, as the model has it',
  async () => {
    const tally: Tally = { requests: 0, outcomes: new Map() };
    const findings: string[] = [];
    for (let seed = FIRST; seed < FIRST + RUNS && findings.length < 3; seed += 1) {
      const finding = await find(outboxModel, seed, tally);
      if (finding !== null) findings.push(finding);
    }
    expect(findings.join('\n')).toBe('');
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
