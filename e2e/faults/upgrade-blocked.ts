import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, JSHandle, Page } from '@playwright/test';
import type { Read, Reader } from '../page/readers.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Random } from './random.ts';
import type { Bench, Figure, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** The pages of two builds of the library. The newer one's database has a version more. */
const OLD = '/';
const NEW = '/newer.html';

/** One path for the workers of both: engines share a database where they have one scope. */
const WORKER = '/service-worker.js';
const NEWER_WORKER = new URL('../../.cache/e2e/newer/service-worker.js', import.meta.url);

/** Where the engines of the old and the new release run, in turn. Two workers of one scope follow each other. */
const PLACES = [
  ['page', 'service-worker'],
  ['service-worker', 'page'],
  ['page', 'page'],
  ['service-worker', 'service-worker'],
] as const;

type Place = (typeof PLACES)[number][number];

const DOCUMENTS = 8;

/** Milliseconds: the old one reads alone for up to so many, both read on after the upgrade, a call may take so long. */
const BEFORE = 100;
const AFTERWARDS = 200;
const LONGEST = 2_000;

/** What one round found. */
interface Round {
  readonly reads: readonly Read[];
  /** Answers that were stored, and those of them that one of the tabs did not find without a network. */
  readonly stored: number;
  readonly missing: number;
  /** Of the documents that were stored before, those that were taken for new ones. */
  readonly forgotten: number;
  readonly falls: readonly string[];
  readonly upgraded: boolean;
}

/**
 * Two releases in two tabs, each with an engine of its own: the old one reads and writes its database while the new
 * one upgrades it. Neither waits long, falls to memory or loses what is stored. A round has a database of its own.
 */
export const upgradeBlocked: Row = {
  number: 18,
  name: 'upgrade-blocked',
  rounds: { short: 2, long: 50 },
  slow: false,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, { server, context }: Stage): Promise<Result> {
  const browser = context.browser();
  if (!browser) throw new Error('The context has no browser to open others in');
  const all: Round[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const places = PLACES[index % PLACES.length] ?? PLACES[0];
    all.push(await inContext(browser, server, (own) => playRound(own, server, places, random)));
  }
  const reads = all.flatMap((round) => round.reads);
  const count = (ending: Read['ending']): number => reads.filter((read) => read.ending === ending).length;
  return {
    rounds,
    lost: count('failed') + sum(all.map(({ missing }) => missing)),
    duplicated: 0,
    hung: count('hung'),
    figures: figuresOf(all, reads),
  };
}

/** A context has databases and workers of its own. */
async function inContext<T>(
  browser: Browser,
  server: FixtureServer,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ baseURL: server.url });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

async function playRound(
  context: BrowserContext,
  server: FixtureServer,
  [oldPlace, newPlace]: readonly [Place, Place],
  random: Random,
): Promise<Round> {
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => `/etag/${index}`);
  server.rewrite(WORKER, (present) => present);
  const [oldTab, old] = await openTab(context, OLD, oldPlace);
  const seeds = await old.evaluate((reader, urls) => reader.read(urls), documents);
  const before = await versionOf(oldTab);
  const newer = await readFile(NEWER_WORKER, 'utf8');
  server.rewrite(WORKER, () => newer);
  const [newTab, later] = await openTab(context, NEW, newPlace);
  const isReplaced = oldPlace === 'service-worker' && newPlace === 'service-worker';
  if (isReplaced) await find(newTab, later);
  await old.evaluate((reader, urls) => reader.start(urls, '/etag/old-'), documents);
  await sleep(random.between(0, BEFORE));
  if (isReplaced) await later.evaluate((reader) => reader.update());
  // Its first call opens the database, and so upgrades it.
  await later.evaluate((reader, urls) => reader.read(urls), documents);
  await later.evaluate((reader, urls) => reader.start(urls, '/etag/new-'), documents);
  await sleep(AFTERWARDS);
  await Promise.all([old, later].map((each) => each.evaluate((reader) => reader.stop())));
  const after = await versionOf(newTab);
  const reads = (
    await Promise.all([old, later].map((each) => each.evaluate(({ reads: told }) => told)))
  ).flat();
  const falls = await Promise.all([old, later].map((each) => each.evaluate((reader) => reader.falls)));
  const stored = [...new Set(reads.map(({ url }) => url))];
  // Answers are told before they are stored, and each engine has those of the other from the database alone.
  await until('all that was told is stored', async () => (await storedIn(later)) >= stored.length, LONGEST);
  return {
    reads,
    stored: stored.length,
    missing: await missingOf([old, later], stored, server),
    forgotten: reads.filter((read) => isForgotten(read, documents)).length - seeds.length,
    falls: falls.flat(),
    upgraded: after === before + 1,
  };
}

async function openTab(
  context: BrowserContext,
  page: string,
  host: Place,
): Promise<[tab: Page, reader: JSHandle<Reader>]> {
  const tab = await context.newPage();
  await tab.goto(page);
  const options = { serviceWorker: WORKER, host };
  return [tab, await tab.evaluateHandle((each) => window.readers.Reader.open(each), options)];
}

/** The browser has the newer worker, which waits. */
async function find(tab: Page, reader: JSHandle<Reader>): Promise<void> {
  await tab.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
  await until('the newer worker waits', () => reader.evaluate(({ hasUpdate }) => hasUpdate));
}

function storedIn(reader: JSHandle<Reader>): Promise<number> {
  return reader.evaluate((each) => each.stored());
}

/** Of the database of answers. The one that says which that is has a version of its own. */
async function versionOf(tab: Page): Promise<number> {
  const [version, ...others] = await tab.evaluate(async () =>
    (await indexedDB.databases()).filter(({ name }) => name?.includes('#')).map((each) => each.version ?? 0),
  );
  if (version === undefined || others.length > 0) throw new Error('The releases do not share one database');
  return version;
}

/** How many answers a tab does not get any more when only what is stored can be had. */
async function missingOf(
  readers: readonly JSHandle<Reader>[],
  urls: readonly string[],
  server: FixtureServer,
): Promise<number> {
  await server.down();
  const told = await Promise.all(
    readers.map((each) => each.evaluate((reader, all) => reader.read(all), urls)),
  );
  await server.up();
  return told.flat().filter(({ ending }) => ending !== 'stored').length;
}

function isForgotten({ url, ending }: Read, documents: readonly string[]): boolean {
  return ending === 'new' && documents.includes(url);
}

function figuresOf(all: readonly Round[], reads: readonly Read[]): Figure[] {
  const falls = all.flatMap((round) => round.falls);
  return [
    { name: 'upgraded', value: all.filter(({ upgraded }) => upgraded).length, atLeast: all.length },
    { name: 'calls', value: reads.length, atLeast: all.length * DOCUMENTS * 4 },
    { name: 'longest', value: Math.max(...reads.map(({ ms }) => ms)), unit: 'ms', atMost: LONGEST },
    { name: 'stored', value: sum(all.map(({ stored }) => stored)) },
    { name: 'forgotten', value: sum(all.map(({ forgotten }) => forgotten)), atMost: 0 },
    { name: 'fallen to memory', value: falls.length, atMost: 0 },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
