import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedCall } from '../page/calls.ts';
import type { Exchange } from '../server/exchange.ts';
import { FixtureServer } from '../server/fixture-server.ts';
import { countsOf, durationOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { percentile } from './row.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';

/** Slow calls of the greedy tab, all to a server of their own: a browser has six connections to each (HTTP/1.1). */
const SLOW = 1_000;

/** Milliseconds that they are given: none is answered. */
const PATIENCE = 6_000;

/** Calls that the other tab makes, one after the other. */
const OTHERS = 60;

/**
 * Bytes of the endless body that go out at a time, and milliseconds from one to the next: an answer that comes as fast as
 * it can fills the system's buffers with tens of MiB that no browser has taken.
 */
const PIECE = Buffer.alloc(65_536, 'x');
const PAUSE = 1;

const MIB = 1_048_576;

/**
 * One tab has a thousand calls out that nobody answers, and one whose answer does not end. The other tab's calls take as
 * long as when it is alone, and the endless answer is given up at `limits.answerSize`.
 */
export const greedyTab: Row = {
  number: 41,
  name: 'greedy-tab',
  rounds: { short: 1, long: 10 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const elsewhere = new FixtureServer('127.0.0.1');
  await elsewhere.up();
  try {
    return await runBeside(elsewhere, rounds, stage);
  } finally {
    await elsewhere.down();
  }
}

async function runBeside(elsewhere: FixtureServer, rounds: number, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const sent: number[] = [];
  elsewhere.on('GET /never', () => new Promise(() => {}));
  stage.server.on('GET /endless', async (exchange) => void sent.push(await pour(exchange)));
  const [greedy, other] = [await stage.openTab(), await stage.openTab()];
  const [alone, beside, slow, endless]: [Told[], Told[], Told[], Told[]] = [[], [], [], []];
  const calm = (plan: readonly PlannedCall[]): Promise<Told[]> =>
    other.evaluate((calls) => window.calls.makeCalls(calls), plan);
  await calm(otherCalls('warm'));
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await calm(otherCalls(`${round}.alone`))));
    const greed = greedy.evaluate(
      (calls) => window.calls.makeCalls(calls),
      greedyCalls(round, elsewhere.url),
    );
    beside.push(...(await calm(otherCalls(`${round}.beside`))));
    for (const told of await greed) (told.key.endsWith('endless') ? endless : slow).push(told);
  }
  const counts = countsOf(effects.counts, [...alone, ...beside, ...slow, ...endless], isMeant);
  return {
    rounds,
    ...counts,
    figures: [
      {
        name: 'median of the others',
        value: (100 * medianOf(beside)) / medianOf(alone),
        unit: '% of alone',
        atMost: 200,
      },
      { name: 'slowest of the others', value: Math.max(...beside.map(durationOf)), unit: 'ms' },
      {
        name: 'slow calls',
        value: slow.filter(({ ending }) => ending === 'timeout').length,
        atLeast: SLOW * rounds,
      },
      {
        name: 'endless answers given up',
        value: endless.filter(({ ending }) => ending === 'limit').length,
        atLeast: rounds,
      },
      { name: 'most that was sent of one', value: Math.max(...sent) / MIB, unit: 'MiB', atMost: 96 },
    ],
  };
}

const ENDLESS = '/endless';

function greedyCalls(round: number, origin: string): PlannedCall[] {
  const slow = Array.from({ length: SLOW }, (_, index) => {
    const key = `${round}.${index}.greedy`;
    return { key, method: 'GET', url: `${origin}/never?call=${key}`, after: 0, deadline: PATIENCE };
  });
  return [{ key: `${round}.endless`, method: 'GET', url: ENDLESS, after: 0, deadline: 30_000 }, ...slow];
}

function otherCalls(name: string): PlannedCall[] {
  return Array.from({ length: OTHERS }, (_, index) => {
    const key = `${name}.${index}`;
    const url = `/effects?call=${key}&item=${key}`;
    return { key, method: 'GET', url, after: 0, lane: 'one', deadline: 10_000 };
  });
}

/** Writes until nobody reads any more; how many bytes that were. */
async function pour({ response }: Exchange): Promise<number> {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  const closed = once(response, 'close');
  let sent = 0;
  while (!response.destroyed) {
    sent += PIECE.length;
    if (!response.write(PIECE)) await Promise.race([once(response, 'drain').catch(() => {}), closed]);
    await sleep(PAUSE);
  }
  return sent;
}

function isMeant({ key, ending }: Told): boolean {
  return key.endsWith('greedy') ? ending === 'timeout' : key.endsWith('endless') && ending === 'limit';
}

function medianOf(told: readonly Told[]): number {
  return percentile(told.map(durationOf), 0.5);
}
