import { expect, test } from 'vitest';
import { find, planOf } from '../model/run.ts';
import type { Tally } from '../model/run.ts';
import { cacheModel } from './world.ts';

const FIRST = Number(process.env['MODEL_SEED'] ?? 1);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 200);

/** Milliseconds that runs may take on a busy machine. */
const PATIENCE = 60_000 + RUNS * 1_000;

test(
  'whatever is read, written, cleared and signed in, what pages are told is as RFC 9111 has it, and their own',
  async () => {
    const tally: Tally = { requests: 0, outcomes: new Map() };
    const findings: string[] = [];
    for (let seed = FIRST; seed < FIRST + RUNS && findings.length < 3; seed += 1) {
      const finding = await find(cacheModel, seed, tally);
      if (finding !== null) findings.push(finding);
    }
    expect(findings.join('\n')).toBe('');
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
