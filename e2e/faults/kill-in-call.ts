import { setTimeout as sleep } from 'node:timers/promises';
import { countsOf, durationOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { makeCalls, plannedCalls, SLOWEST, SPREAD } from './planned-calls.ts';
import { percentile, type Bench, type Result, type Row } from './row.ts';
import { Stage } from './stage.ts';
import { WorkerStops, type Stop } from './worker-stops.ts';

const TABS = 2;
const CALLS_PER_TAB = 10;

/** The worker is stopped at random instants during calls of all methods from two tabs. A round is one stop. */
export const killInCall: Row = {
  number: 1,
  name: 'kill-in-call',
  rounds: { short: 5, long: 500 },
  slow: false,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const tabs = await Promise.all(Array.from({ length: TABS }, () => stage.openTab()));
  const [first] = tabs;
  if (!first) throw new Error('There is no tab to stop workers through');
  const stops = await WorkerStops.through(first);
  const calls: Told[] = [];
  const across: number[] = [];
  let stopped = 0;
  // A round in which the worker was not running is made again, under other keys.
  for (let round = 0; stopped < rounds; round += 1) {
    const plan = tabs.map((_, tab) => plannedCalls(random, CALLS_PER_TAB, `${round}.${tab}`));
    const told = tabs.map((page, tab) => makeCalls(page, plan[tab] ?? []));
    await sleep(random.between(0, SPREAD + SLOWEST));
    const stop = await stops.stop();
    const settled = (await Promise.all(told)).flat();
    calls.push(...settled);
    if (!stop) continue;
    stopped += 1;
    across.push(...settled.filter((each) => isAcross(each, stop)).map(overhead));
  }
  return { ...countsOf(effects.counts, calls), rounds: stopped, figures: figuresOf(calls, across) };
}

function isAcross({ madeAt, settledAt }: Told, { stoppedAt }: Stop): boolean {
  return madeAt <= stoppedAt && settledAt !== null && settledAt >= stoppedAt;
}

/** What the call took above the server's own time, which is the last part of its key. */
function overhead(told: Told): number {
  return durationOf(told) - Number(told.key.split('.').at(-1));
}

function figuresOf(calls: readonly Told[], across: readonly number[]): Result['figures'] {
  // Of fewer calls the 99th percentile is the slowest one, which says more about the machine.
  const limit = across.length >= 100 ? { atMost: 500 } : {};
  const workerLost = calls.filter(({ ending }) => ending === 'worker-lost');
  return [
    { name: 'calls', value: calls.length },
    { name: 'across a stop', value: across.length, atLeast: 1 },
    { name: 'worker-lost', value: workerLost.length },
    { name: 'p50 above the server', value: percentile(across, 0.5), unit: 'ms' },
    { name: 'p99 above the server', value: percentile(across, 0.99), unit: 'ms', ...limit },
  ];
}
