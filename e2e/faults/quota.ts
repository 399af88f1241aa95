import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { PlannedCall } from '../page/calls.ts';
import { sendJson } from '../server/exchange.ts';
import { countsOf, durationOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { lostAndAgain, NumberedFeed } from './numbered-feed.ts';
import { makeCalls } from './planned-calls.ts';
import type { Random } from './random.ts';
import { percentile, type Bench, type Result, type Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** Bytes of an answer, and how many of a round fill the room that the browser leaves. */
const SIZE = 200_000;
const FILLING = 20;
const ROOM = 4_000_000;

/** Milliseconds within which a call is answered, and that it is given; and within which a change is heard. */
const ANSWERED_IN = 4_000;
const DEADLINE = 10_000;
const PATIENCE = 10_000;

/**
 * Milliseconds until pages are told once more that there is no room: what was told at the end of a round holds for the
 * beginning of the next, too.
 */
const TOLD_EACH = 1_000;

/** Every so many rounds the worker ends, too, and begins anew with what is stored. */
const ROUNDS_OF_A_LIFE = 4;

/** The browser has no more room for what the worker stores. A round is one such time, with calls and a feed. */
export const quota: Row = {
  number: 15,
  name: 'quota',
  rounds: { short: 1, long: 50 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const changes = new NumberedFeed();
  stage.server.on('GET /numbers', (exchange) => changes.answer(exchange));
  stage.server.on('GET /large', (exchange) =>
    // So varied that no compression makes it short.
    sendJson(exchange, { text: randomBytes(SIZE / 2).toString('hex') }, { 'Cache-Control': 'max-age=600' }),
  );
  await narrow(stage);
  const tab = await stage.openTab();
  await follow(tab);
  const stops = await WorkerStops.through(tab);
  const calls: Told[] = [];
  const counts = { silent: 0, untold: 0, unstored: 0, ended: 0, before: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const began = Date.now();
    changes.make();
    calls.push(...(await makeCalls(tab, [...largeCalls(`${round}`), ...writes(random, round)])));
    const isTold = async (): Promise<boolean> => (await heardBy(tab)).toldAt > began - TOLD_EACH;
    await until('it is told', isTold, PATIENCE).catch(() => (counts.untold += 1));
    const { toldAt } = await heardBy(tab);
    if (toldAt < began && toldAt > began - TOLD_EACH) counts.before += 1;
    const isHeard = async (): Promise<boolean> => (await heardBy(tab)).numbers.at(-1) === changes.last;
    await until('the change is heard', isHeard, PATIENCE).catch(() => (counts.silent += 1));
    // Older answers have made room for newer ones.
    const areStored = async (): Promise<boolean> => (await storedOf(tab, round)) >= FILLING / 4;
    await until('newer answers are stored', areStored, PATIENCE).catch(() => (counts.unstored += 1));
    if (round % ROUNDS_OF_A_LIFE < ROUNDS_OF_A_LIFE - 1) continue;
    // Answers that wait to be written are lost with the worker. Those in the database stay, unless they give way just then.
    const written = Math.min(await writtenOf(tab, round), FILLING / 4);
    if (!(await stops.stop())) continue;
    counts.ended += 1;
    if ((await storedOf(tab, round)) < written) counts.unstored += 1;
  }
  const { numbers, resets, errors } = await heardBy(tab);
  for (const error of new Set(errors)) console.error(error);
  const { lost, duplicated, hung } = countsOf(effects.counts, calls);
  const entries = lostAndAgain(numbers, changes.last);
  const durations = calls.map(durationOf);
  return {
    rounds,
    lost: lost + counts.silent + entries.lost,
    duplicated: duplicated + entries.again,
    hung,
    figures: [
      { name: 'times nobody was told', value: counts.untold, atMost: 0 },
      { name: 'times it was told just before', value: counts.before },
      { name: 'rounds of which too little is stored', value: counts.unstored, atMost: 0 },
      { name: 'resets of the feed', value: resets, atMost: 0 },
      { name: 'ends of the worker', value: counts.ended },
      { name: 'calls', value: calls.length },
      { name: 'p50 of a call', value: percentile(durations, 0.5), unit: 'ms' },
      { name: 'longest', value: Math.max(...durations), unit: 'ms', atMost: ANSWERED_IN },
    ],
  };
}

/**
 * The origin has only so much room, from before anything of it is stored: for 30 s Chromium goes by what it has read of
 * the room that is left.
 */
async function narrow({ context, server }: Stage): Promise<void> {
  const devtools = await context.newCDPSession(await context.newPage());
  const { origin } = new URL(server.url);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: ROOM });
}

interface Heard {
  readonly numbers: readonly number[];
  readonly resets: number;
  /** When the page was told last that the browser has no more room, in milliseconds of the epoch; 0 if never. */
  readonly toldAt: number;
  readonly errors: readonly string[];
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const heard = { numbers: [] as number[], resets: 0, toldAt: 0, errors: [] as string[] };
    Object.assign(window, { heard });
    window.offstage.connect().addEventListener('storage', () => (heard.toldAt = Date.now()));
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

/** How many answers of the round are in the database. */
function writtenOf(tab: Page, round: number): Promise<number> {
  return tab.evaluate(async (name) => {
    const names = (await indexedDB.databases()).map((each) => String(each.name));
    const opening = indexedDB.open(names.find((each) => each.endsWith('#default')) ?? '');
    const database = await new Promise<IDBDatabase>((resolve) => {
      opening.addEventListener('success', () => resolve(opening.result));
    });
    const reading = database.transaction('responses').objectStore('responses').getAllKeys();
    await new Promise((resolve) => reading.addEventListener('success', resolve));
    database.close();
    return reading.result.filter((key) => JSON.stringify(key).includes(name)).length;
  }, `key=${round}.`);
}

/** How many answers of the round are stored, or wait to be. */
function storedOf(tab: Page, round: number): Promise<number> {
  return tab.evaluate(
    async ([count = 0, nth = 0]) => {
      const large = new window.offstage.Resource({
        get: { method: 'GET', url: '/large?key={key}', cache: 'cache-only' },
      });
      const keys = Array.from({ length: count }, (_, index) => `${nth}.${index}`);
      const results = await Promise.allSettled(keys.map((key) => large.result(large.get({ key }))));
      return results.filter(({ status }) => status === 'fulfilled').length;
    },
    [FILLING, round],
  );
}

function largeCalls(prefix: string): PlannedCall[] {
  return Array.from({ length: FILLING }, (_, nth) => {
    const key = `${prefix}.${nth}`;
    return { key, method: 'GET', url: `/large?key=${key}`, after: nth * 20, deadline: DEADLINE };
  });
}

function writes(random: Random, round: number): PlannedCall[] {
  return ['PUT', 'POST', 'DELETE'].map((method) => {
    const key = `${round}.${method}`;
    const url = `/effects?call=${key}&item=${key}`;
    return { key, method, url, after: random.between(0, 200), deadline: DEADLINE };
  });
}
