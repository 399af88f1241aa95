import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedCall } from '../page/calls.ts';
import type { Exchange } from '../server/exchange.ts';
import { countsOf, durationOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import type { Random } from './random.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';

/** The browser has six connections to a server: the slow calls leave some to the others. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE'] as const;
const OTHERS = 20;

/** Milliseconds between two bytes. */
const PACE = 5_000;

/** Milliseconds given to slow calls: too few for a second byte, too few for a third. */
const DEADLINES = [1_000, 6_000];

/** The server sends one byte every five seconds: the call fails at its deadline, and the others do not wait for it. */
export const slowLoris: Row = {
  number: 8,
  name: 'slow-loris',
  rounds: { short: 1, long: 20 },
  slow: false,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  for (const method of METHODS) stage.server.on(`${method} /loris`, dribble);
  const page = await stage.openTab();
  const [slow, others]: [Told[], Told[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    // The shorter one first: a short run is done with it.
    const deadline = DEADLINES[round % DEADLINES.length] ?? PACE;
    const plan = [...slowCalls(round, deadline), ...otherCalls(round, random, deadline)];
    const told = await page.evaluate((calls) => window.calls.makeCalls(calls), plan);
    slow.push(...told.slice(0, METHODS.length));
    others.push(...told.slice(METHODS.length));
  }
  const counts = countsOf(effects.counts, [...slow, ...others], endedInTime);
  const early = slow.filter((told) => past(told) < 0);
  return {
    rounds,
    ...counts,
    figures: [
      {
        name: 'answered in spite of it',
        value: slow.filter(({ ending }) => ending === 'answered').length,
        atMost: 0,
      },
      { name: 'before the deadline', value: early.length, atMost: 0 },
      { name: 'latest past it', value: Math.max(...slow.map(past)), unit: 'ms', atMost: 1_500 },
      {
        name: 'slowest of the others',
        value: Math.max(...others.map(durationOf)),
        unit: 'ms',
        atMost: 1_000,
      },
    ],
  };
}

async function dribble({ response }: Exchange): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 1_000 });
  while (!response.destroyed) {
    response.write('x');
    await sleep(PACE);
  }
}

function slowCalls(round: number, deadline: number): PlannedCall[] {
  return METHODS.map((method) => {
    const key = `${round}.loris.${method}`;
    return { key, method, url: `/loris?call=${key}`, after: 0, deadline };
  });
}

/** Made all the time that the slow ones wait. */
function otherCalls(round: number, random: Random, spread: number): PlannedCall[] {
  return Array.from({ length: OTHERS }, (_, index) => {
    const key = `${round}.${index}`;
    const url = `/effects?call=${key}&item=${key}`;
    return { key, method: random.one(METHODS), url, after: random.between(0, spread), deadline: 10_000 };
  });
}

function endedInTime({ key, ending }: Told): boolean {
  return key.includes('loris') && ending === 'timeout';
}

function past(told: Told): number {
  return durationOf(told) - told.deadline;
}
