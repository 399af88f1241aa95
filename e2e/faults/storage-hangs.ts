import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { PlannedCall } from '../page/calls.ts';
import { countsOf, durationOf, type Told } from './checker.ts';
import { disturbanceOf, disturbStorageOf, order, playedOn, prepareOrders } from './disturbed-storage.ts';
import { Effects } from './effects.ts';
import { lostAndAgain, NumberedFeed } from './numbered-feed.ts';
import { makeCalls } from './planned-calls.ts';
import { percentile, type Bench, type Result, type Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** Milliseconds within which a call is answered from the network, and that it is given. */
const ANSWERED_IN = 4_000;
const DEADLINE = 10_000;

/** Milliseconds: a change is heard within so many, however the database did; calls of a round are spread over so many. */
const PATIENCE = 30_000;
const SPREAD = 300;

/** Every so many rounds the worker ends, too, and begins anew with what is stored. */
const ROUNDS_OF_A_LIFE = 5;

/**
 * One transaction of the worker after the other hangs, fails or ends late, while a page follows a feed and calls. A round
 * is one such transaction, one change of the feed and some calls.
 */
export const storageHangs: Row = {
  number: 38,
  name: 'storage-hangs',
  rounds: { short: 3, long: 200 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const changes = new NumberedFeed();
  const effects = new Effects(stage.server);
  stage.server.on('GET /numbers', (exchange) => changes.answer(exchange));
  disturbStorageOf(stage.server);
  const tab = await stage.openTab();
  await prepareOrders(tab);
  await follow(tab);
  const stops = await WorkerStops.through(tab);
  const calls: Told[] = [];
  const waits: number[] = [];
  let [ended, played] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await order(tab, disturbanceOf(random, round));
    const at = Date.now();
    changes.make();
    const called = makeCalls(tab, callsOf(round));
    if (round % ROUNDS_OF_A_LIFE === ROUNDS_OF_A_LIFE - 1) {
      await sleep(random.between(0, SPREAD));
      if (await stops.stop()) ended += 1;
    }
    calls.push(...(await called));
    const isHeard = async (): Promise<boolean> => (await heardBy(tab)).numbers.at(-1) === changes.last;
    await until('the change is heard', isHeard, PATIENCE).catch(() => {});
    waits.push(Date.now() - at);
    played = await playedOn(tab);
  }
  const { numbers, resets, errors } = await heardBy(tab);
  for (const error of new Set(errors)) console.error(error);
  const { lost, duplicated, hung } = countsOf(effects.counts, calls);
  const entries = lostAndAgain(numbers, changes.last);
  return {
    rounds,
    lost: lost + entries.lost,
    duplicated: duplicated + entries.again,
    hung,
    figures: [
      { name: 'disturbed', value: played, atLeast: Math.floor(0.6 * rounds) },
      { name: 'ends of the worker', value: ended },
      { name: 'calls', value: calls.length },
      { name: 'longest', value: Math.max(...calls.map(durationOf)), unit: 'ms', atMost: ANSWERED_IN },
      { name: 'resets of the feed', value: resets, atMost: 0 },
      { name: 'p50 until a change is heard', value: percentile(waits, 0.5), unit: 'ms' },
      { name: 'longest', value: Math.max(...waits), unit: 'ms', atMost: PATIENCE },
    ],
  };
}

/** The news of the feed that a page has heard. */
interface Heard {
  readonly numbers: readonly number[];
  readonly resets: number;
  readonly errors: readonly string[];
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const heard = { numbers: [] as number[], resets: 0, errors: [] as string[] };
    Object.assign(window, { heard });
    const feed = new window.offstage.Resource({ numbers: { method: 'GET', url: '/numbers' } });
    feed.addListener('numbersSuccess', ({ response }) => heard.numbers.push(Number(Object(response).last)));
    feed.addListener('numbersReset', () => (heard.resets += 1));
    feed.addListener('error', ({ error }) => heard.errors.push(String(error)));
    const cursor = { from: { body: '/last' }, to: { query: 'since' }, initial: '0' };
    feed.longPoll('numbers', {}, { cursor });
  });
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

/** Some of what was stored before, some of what was not, and writes, which storage has to be told of. */
function callsOf(round: number): PlannedCall[] {
  const call = (method: string, url: string, nth: number): PlannedCall => {
    const key = `${round}.${nth}`;
    return { key, method, url: url.replace('KEY', key), after: (nth * SPREAD) / 5, deadline: DEADLINE };
  };
  return [
    call('GET', '/etag/often', 0),
    call('GET', '/photo/KEY', 1),
    call('PUT', '/effects?call=KEY&item=KEY', 2),
    call('GET', '/etag/KEY', 3),
    call('GET', '/photo/often', 4),
  ];
}
