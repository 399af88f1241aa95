import type { Page } from '@playwright/test';
import type { PlannedCall } from '../page/calls.ts';
import { countsOf, durationOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { makeCalls } from './planned-calls.ts';
import type { Random } from './random.ts';
import { percentile, type Bench, type Result, type Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** Milliseconds within which a call is answered from the network, and that it is given. */
const ANSWERED_IN = 4_000;
const DEADLINE = 10_000;

/** Milliseconds: calls of a round are spread over so many, before and after the worker has given up its database. */
const SPREAD = 4_000;

/** Milliseconds until a poll of a new worker must have been heard, and its period. */
const PATIENCE = 10_000;
const PERIOD = 500;

/** The worker's database never opens. A round is one life of the worker, with calls and a poll. */
export const databaseHangs: Row = {
  number: 17,
  name: 'database-hangs',
  rounds: { short: 1, long: 50 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  stage.server.rewrite('/service-worker.js', (script) => `importScripts('/hanging-database.js');\n${script}`);
  const tab = await stage.openTab();
  await follow(tab);
  const stops = await WorkerStops.through(tab);
  const calls: Told[] = [];
  const counts = { silent: 0, untold: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const before = await heardBy(tab);
    if (round > 0) await stops.stop();
    calls.push(...(await makeCalls(tab, callsOf(random, round))));
    const isNews = async (): Promise<boolean> => (await heardBy(tab)).ticks > before.ticks;
    await until('the poll is heard', isNews, PATIENCE).catch(() => (counts.silent += 1));
    const isTold = async (): Promise<boolean> => (await heardBy(tab)).told > before.told;
    await until('it is told', isTold, PATIENCE).catch(() => (counts.untold += 1));
  }
  const { lost, duplicated, hung } = countsOf(effects.counts, calls);
  const durations = calls.map(durationOf);
  return {
    rounds,
    lost: lost + counts.silent,
    duplicated,
    hung,
    figures: [
      { name: 'workers that told nothing of it', value: counts.untold, atMost: 0 },
      { name: 'calls', value: calls.length },
      { name: 'p50 of a call', value: percentile(durations, 0.5), unit: 'ms' },
      { name: 'longest', value: Math.max(...durations), unit: 'ms', atMost: ANSWERED_IN },
    ],
  };
}

interface Heard {
  readonly ticks: number;
  /** How often the page was told that only memory is left. */
  readonly told: number;
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate((interval) => {
    const heard = { ticks: 0, told: 0 };
    Object.assign(window, { heard });
    const source = new window.offstage.Resource({ news: { method: 'GET', url: '/etag/news' } });
    source.addListener('newsSuccess', () => (heard.ticks += 1));
    window.offstage.connect().addEventListener('storage', (event) => {
      if (Object(event).mode === 'memory') heard.told += 1;
    });
    source.poll('news', {}, { interval });
  }, PERIOD);
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

/** Reads that have been stored, in memory at least, and that have not; and writes. */
function callsOf(random: Random, round: number): PlannedCall[] {
  const urls = ['/etag/often', '/photo/KEY', '/photo/often', '/etag/KEY', '/effects?call=KEY&item=KEY'];
  return urls.map((url, nth) => {
    const key = `${round}.${nth}`;
    const method = url.startsWith('/effects') ? random.one(['PUT', 'DELETE']) : 'GET';
    const after = nth === 0 ? 0 : random.between(0, SPREAD);
    return { key, method, url: url.replaceAll('KEY', key), after, deadline: DEADLINE };
  });
}
