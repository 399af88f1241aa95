import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { PlannedCall } from '../page/calls.ts';
import { countsOf, durationOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { lostAndAgain, NumberedFeed } from './numbered-feed.ts';
import { makeCalls } from './planned-calls.ts';
import type { Random } from './random.ts';
import { percentile, type Bench, type Result, type Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** Milliseconds within which a call is answered, and that it is given. */
const ANSWERED_IN = 1_000;
const DEADLINE = 10_000;

/** Milliseconds: calls of a round are spread over so many; a change of the feed is heard within so many. */
const SPREAD = 300;
const PATIENCE = 10_000;

/** What becomes of the connection: it is lost and all is still there, or it is lost with all that was stored. */
const WAYS = ['lost', 'cleared'] as const;

/** The worker's connection to its database is lost amid calls. A round is one such loss, with a change of a feed. */
export const databaseClosed: Row = {
  number: 16,
  name: 'database-closed',
  rounds: { short: 4, long: 200 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const changes = new NumberedFeed();
  stage.server.on('GET /numbers', (exchange) => changes.answer(exchange));
  stage.server.rewrite('/service-worker.js', (script) => `importScripts('/lost-connections.js');\n${script}`);
  const tab = await stage.openTab();
  await follow(tab);
  const calls: Told[] = [];
  const counts = { silent: 0, untold: 0, played: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const before = await heardBy(tab);
    const called = makeCalls(tab, callsOf(random, round));
    changes.make();
    await sleep(random.between(0, SPREAD));
    const way = WAYS[round % WAYS.length] ?? 'lost';
    if (way === 'lost') await loseConnections(tab);
    else await clear(tab);
    calls.push(...(await called));
    const isHeard = async (): Promise<boolean> => (await heardBy(tab)).numbers.at(-1) === changes.last;
    await until('the change is heard', isHeard, PATIENCE).catch(() => (counts.silent += 1));
    const { told, lost } = await heardBy(tab);
    counts.played += way === 'cleared' ? 1 : lost - before.lost;
    if (way === 'lost') continue;
    const isTold = async (): Promise<boolean> =>
      told > before.told || (await heardBy(tab)).told > before.told;
    await until('it is told', isTold, PATIENCE).catch(() => (counts.untold += 1));
  }
  const { numbers, errors } = await heardBy(tab);
  for (const error of new Set(errors)) console.error(error);
  const { lost, duplicated, hung } = countsOf(effects.counts, calls);
  const durations = calls.map(durationOf);
  return {
    rounds,
    lost: lost + counts.silent + lostAndAgain(numbers, changes.last).lost,
    duplicated,
    hung,
    figures: [
      { name: 'lost connections', value: counts.played, atLeast: rounds },
      { name: 'clearings nobody heard of', value: counts.untold, atMost: 0 },
      { name: 'calls', value: calls.length },
      { name: 'p50 of a call', value: percentile(durations, 0.5), unit: 'ms' },
      { name: 'longest', value: Math.max(...durations), unit: 'ms', atMost: ANSWERED_IN },
    ],
  };
}

interface Heard {
  /** The numbers that the feed told. After a clearing the worker has lost its cursor, and tells some again. */
  readonly numbers: readonly number[];
  /** How often the page was told that what was stored is gone. */
  readonly told: number;
  /** How often the worker has lost its connections. */
  readonly lost: number;
  readonly errors: readonly string[];
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const heard = { numbers: [] as number[], told: 0, lost: 0, errors: [] as string[] };
    const channel = new BroadcastChannel('lost connections');
    channel.addEventListener('message', () => (heard.lost += 1));
    Object.assign(window, { heard, channel });
    window.offstage.connect().addEventListener('storage', () => (heard.told += 1));
    const feed = new window.offstage.Resource({ numbers: { method: 'GET', url: '/numbers' } });
    feed.addListener('numbersSuccess', ({ response }) => heard.numbers.push(Number(Object(response).last)));
    feed.addListener('error', ({ error }) => heard.errors.push(String(error)));
    const cursor = { from: { body: '/last' }, to: { query: 'since' }, initial: '0' };
    feed.longPoll('numbers', {}, { cursor });
  });
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

async function loseConnections(tab: Page): Promise<void> {
  await tab.evaluate(() => Object(window).channel.postMessage('lose', []));
}

async function clear(tab: Page): Promise<void> {
  const devtools = await tab.context().newCDPSession(tab);
  const { origin } = new URL(tab.url());
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
  await devtools.detach();
}

/** Reads that were stored before and that were not, and writes. */
function callsOf(random: Random, round: number): PlannedCall[] {
  const urls = ['/etag/often', '/photo/KEY', '/photo/often', '/etag/KEY', '/effects?call=KEY&item=KEY'];
  return urls.map((url, nth) => {
    const key = `${round}.${nth}`;
    const method = url.startsWith('/effects') ? random.one(['PUT', 'DELETE']) : 'GET';
    return {
      key,
      method,
      url: url.replaceAll('KEY', key),
      after: random.between(0, SPREAD),
      deadline: DEADLINE,
    };
  });
}
