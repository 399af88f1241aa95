import { expect, test } from 'vitest';
import { cachePlanOf, cacheTextOf, findInCache } from './run.ts';
import type { CacheFinding, CacheTally } from './run.ts';
import { playCache } from './world.ts';

const FIRST = Number(process.env['MODEL_SEED'] ?? 1);
const RUNS = Number(process.env['MODEL_RUNS'] ?? 200);

/** Milliseconds that runs may take on a busy machine. */
const PATIENCE = 60_000 + RUNS * 1_000;

test(
  'whatever is read, written, cleared and signed in, what pages are told is as RFC 9111 has it, and their own',
  async () => {
    const tally: CacheTally = { requests: 0, told: new Map() };
    const findings: CacheFinding[] = [];
    for (let seed = FIRST; seed < FIRST + RUNS && findings.length < 3; seed += 1) {
      const finding = await findInCache(seed, tally);
      if (finding) findings.push(finding);
    }
    expect(findings.map(cacheTextOf).join('\n')).toBe('');
    // A world in which nothing happens is as any model has it. One run alone may be of little.
    if (RUNS === 1) return;
    for (const from of ['network', 'cache']) expect(tally.told.get(from)).toBeGreaterThan(RUNS);
    expect(tally.told.get('stale')).toBeGreaterThan(RUNS / 10);
  },
  PATIENCE,
);

test('a run depends on its seed alone', async () => {
  const plan = cachePlanOf(7);
  expect(await playCache(plan)).toEqual(await playCache(plan));
});
