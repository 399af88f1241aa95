import type { Outlived } from '../page/lives.ts';
import { FixtureServer } from '../server/fixture-server.ts';
import { openBare } from './bare-chromium.ts';
import { countsOf } from './checker.ts';
import { Effects } from './effects.ts';
import { Reports } from './reports.ts';
import type { Bench, Result, Row } from './row.ts';

/** Workers at a time, each of a scope of its own, so that many die in the same half minute. */
const WORKERS = 10;

/** Milliseconds that one round may take; a worker lives for thirty seconds. */
const PATIENCE = 60_000;

/** The worker dies of idleness, as it does in every real page, and the next calls work. A round is one death. */
export const idleDeath: Row = {
  number: 2,
  name: 'idle-death',
  rounds: { short: 2, long: 100 },
  slow: true,
  run,
};

async function run({ chromium, rounds }: Bench): Promise<Result> {
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const effects = new Effects(server);
  const reports = new Reports<Outlived>(server);
  const each = Math.ceil(rounds / WORKERS);
  const workers = Math.ceil(rounds / each);
  const close = await openBare(chromium, `${server.url}/outlive.html?workers=${workers}&rounds=${each}`);
  try {
    await reports.count(workers * each, each * PATIENCE);
  } finally {
    await close();
    await server.down();
  }
  return resultOf(effects.counts, reports.all);
}

function resultOf(effects: ReadonlyMap<string, number>, deaths: readonly Outlived[]): Result {
  const calls = deaths.flatMap(({ told }) => told);
  // Nothing was under way when the worker died: no call has a reason to fail.
  const counts = countsOf(effects, calls, () => false);
  const idle = deaths.map((death) => death.idle / 1_000);
  return {
    rounds: deaths.length,
    ...counts,
    figures: [
      { name: 'resumed', value: deaths.filter(({ renewed }) => renewed).length, atLeast: deaths.length },
      { name: 'calls', value: calls.length },
      { name: 'shortest idle life', value: Math.min(...idle), unit: 's' },
      { name: 'longest', value: Math.max(...idle), unit: 's' },
    ],
  };
}
