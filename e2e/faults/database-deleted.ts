import type { Page } from '@playwright/test';
import { sendJson } from '../server/exchange.ts';
import { NumberedFeed } from './numbered-feed.ts';
import type { Bench, Result, Row } from './row.ts';
import { percentile } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** Milliseconds until there must be news again. */
const PATIENCE = 5_000;

/** Milliseconds: the tab polls. */
const PERIOD = 500;

/** The answers that a tab has heard so far. */
interface Heard {
  /** The numbers that the feed told. */
  readonly feed: readonly number[];
  /** When the poll ticked last. */
  readonly ticked: number;
  /** How many of them it told again, though it had not been reset. */
  readonly again: number;
  /** How often the page was told: that storage was deleted, or that the feed has lost its place. */
  readonly told: number;
  readonly errors: readonly string[];
}

/** The ways in which a browser loses what a site has stored. */
const WAYS = ['by the page', 'by the browser', 'by Clear-Site-Data'] as const;

type Way = (typeof WAYS)[number];

/** Every database is deleted under a feed, a poll and calls. A round is one deletion and one change of the feed. */
export const databaseDeleted: Row = {
  number: 35,
  name: 'database-deleted',
  rounds: { short: 3, long: 100 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const numbers = new NumberedFeed();
  stage.server.on('GET /numbers', (exchange) => numbers.answer(exchange));
  stage.server.on('GET /forget', (exchange) => sendJson(exchange, {}, { 'Clear-Site-Data': '"storage"' }));
  const tab = await stage.openTab();
  await follow(tab);
  numbers.make();
  await until('the feed is heard', async () => (await heardBy(tab)).feed.includes(1));
  const waits: number[] = [];
  const counts = { silent: 0, untold: 0, hung: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const before = await heardBy(tab);
    const way = WAYS[round % WAYS.length] ?? 'by the page';
    await forget(tab, way);
    const at = Date.now();
    const calls = answers(tab);
    const number = numbers.make();
    const isBack = async (): Promise<boolean> => {
      const { feed, ticked } = await heardBy(tab);
      return feed.includes(number) && ticked > at;
    };
    await until('there is news again', isBack, PATIENCE).catch(() => (counts.silent += 1));
    waits.push(Date.now() - at);
    const isTold = async (): Promise<boolean> => (await heardBy(tab)).told > before.told;
    await until('it is told', isTold, PATIENCE).catch(() => {
      counts.untold += 1;
      console.error(`Nobody heard of a deletion ${way}`);
    });
    counts.hung += (await calls) ? 0 : 1;
  }
  const { feed, again, errors } = await heardBy(tab);
  const missed = Array.from({ length: numbers.last }, (_, index) => index + 1).filter(
    (each) => !feed.includes(each),
  );
  for (const error of errors.slice(0, 5)) console.error(error);
  return {
    rounds,
    lost: counts.silent + missed.length,
    duplicated: again,
    hung: counts.hung,
    figures: [
      { name: 'deletions nobody heard of', value: counts.untold, atMost: 0 },
      { name: 'failures told', value: errors.length },
      { name: 'p50 until there is news', value: percentile(waits, 0.5), unit: 'ms' },
      { name: 'longest', value: Math.max(...waits), unit: 'ms', atMost: PATIENCE },
    ],
  };
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate((interval) => {
    const connection = window.offstage.connect();
    const heard = { feed: [] as number[], last: 0, again: 0, ticked: 0, told: 0, errors: [] as string[] };
    Object.assign(window, { heard });
    const source = new window.offstage.Resource({
      numbers: { method: 'GET', url: '/numbers' },
      news: { method: 'GET', url: '/etag/news' },
    });
    source.addListener('numbersSuccess', ({ response }) => {
      const number = Number(Object(response).last);
      if (number <= heard.last) heard.again += 1;
      heard.last = number;
      heard.feed.push(number);
    });
    // A worker that is new has nothing of the place, and begins afresh.
    source.addListener('numbersReset', () => {
      heard.last = 0;
      heard.told += 1;
    });
    source.addListener('newsSuccess', () => (heard.ticked = Date.now()));
    source.addListener('error', ({ error }) => heard.errors.push(String(error)));
    connection.addEventListener('storage', () => (heard.told += 1));
    source.longPoll(
      'numbers',
      {},
      { cursor: { from: { body: '/last' }, to: { query: 'since' }, initial: '0' } },
    );
    source.poll('news', {}, { interval });
  }, PERIOD);
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

async function forget(tab: Page, way: Way): Promise<void> {
  if (way === 'by the browser') {
    const devtools = await tab.context().newCDPSession(tab);
    const { origin } = new URL(tab.url());
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    await devtools.detach();
  } else if (way === 'by the page') {
    await tab.evaluate(async () => {
      for (const { name = '' } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
    });
  } else {
    await tab.evaluate(async () => void (await fetch('/forget')));
  }
}

/** Makes three calls; resolves to whether all of them settle within 7 s. */
async function answers(tab: Page): Promise<boolean> {
  return tab.evaluate(async () => {
    const photo = new window.offstage.Resource({
      get: { method: 'GET', url: '/photo/{id}', timeout: 5_000 },
    });
    const calls = [1, 2, 3].map((id) => photo.result(photo.get({ id })).catch(() => {}));
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 7_000));
    return Promise.race([late, Promise.all(calls).then(() => true)]);
  });
}
