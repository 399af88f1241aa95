import type { Page } from '@playwright/test';
import type { Sighting, Turn } from '../page/switching.ts';
import { send } from '../server/exchange.ts';
import type { Random } from './random.ts';
import type { Bench, Figure, Result, Row } from './row.ts';
import { connect, Stage } from './stage.ts';
import { UserSessions } from './user-sessions.ts';

/** Milliseconds between two polls of the tabs that stay, and of the one that goes into the page cache. */
const INTERVAL = 100;
const CALM = 1_000;

/** So many users follow each other between two looks at what is stored. */
const BATCH = 50;

/** The document of the tab that goes into the page cache: it may be stored, so that cookies do not keep it out. */
const DOCUMENT = '/cacheable';

/**
 * Users follow each other on one device; a round is one change of users. The user before leaves with some reads under way
 * and with a poll, a feed, a window, stores and a query in each of two tabs, over the three ways in which a server learns
 * who asks: a cookie, the page's hook, its provider. The next one signs in directly, or after a sign-out, and is served.
 * A third tab spends every second batch in the back/forward cache.
 */
export const nextUser: Row = {
  number: 43,
  name: 'next-user',
  rounds: { short: 20, long: 10_000 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage), ['--disable-back-forward-cache']),
};

/**
 * A user signs out with answers and writes under way, and the next one signs in at once, from another tab every second
 * time; a round is one sign-out. No write comes with the next one's cookie or token.
 */
export const signOutRace: Row = {
  number: 27,
  name: 'sign-out-race',
  rounds: { short: 10, long: 1_000 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => race(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const sessions = new UserSessions(stage.server, random);
  stage.server.on(`GET ${DOCUMENT}`, (exchange) =>
    send(exchange, 200, '<!doctype html><script type="module" src="/offstage.js"></script>', {
      'Content-Type': 'text/html',
    }),
  );
  const [driver, other] = [await openApp(stage, '/', INTERVAL), await openApp(stage, '/', INTERVAL)];
  const cached = await openApp(stage, DOCUMENT, CALM);
  const stored: string[] = [];
  const began = performance.now();
  for (let user = 1; user <= rounds; user += BATCH) {
    const turns = turnsFrom(user, Math.min(BATCH, rounds - user + 1), (next) => turnOf(next, random));
    const isAway = Math.floor(user / BATCH) % 2 === 1;
    if (isAway) await cached.goto('/bare.html');
    await driver.evaluate((plan) => window.switching.play(plan), turns);
    stored.push(...(await foreignIn(driver, user + turns.length - 1)));
    if (isAway) await comeBack(cached);
    stage.server.journal.clear();
  }
  const each = (performance.now() - began) / rounds;
  const { returns } = await cached.evaluate(() => window.switching.sighting());
  return resultOf(rounds, await sightingsOf([driver, other, cached]), sessions, stored, [
    { name: 'out of the page cache', value: returns },
    { name: 'a change', value: each, unit: 'ms' },
  ]);
}

async function race({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const sessions = new UserSessions(stage.server, random);
  const tabs = [await openApp(stage, '/', INTERVAL), await openApp(stage, '/', INTERVAL)] as const;
  const stored: string[] = [];
  const began = performance.now();
  for (let user = 1; user <= rounds; user += 1) {
    // Before the first user nobody is signed in, so a write would carry the cookie of the user who comes.
    const writes = user === 1 ? 0 : 6;
    const turn: Turn = { user, signsOut: true, reads: 6, writes, after: random.between(0, 30) };
    await tabs[user % 2 === 0 ? 0 : 1].evaluate((each) => window.switching.play([each]), turn);
    if (user % BATCH === 0) stored.push(...(await foreignIn(tabs[0], user)));
  }
  const each = (performance.now() - began) / rounds;
  return resultOf(rounds, await sightingsOf(tabs), sessions, stored, [
    { name: 'writes performed', value: sessions.effects.size, atLeast: rounds },
    { name: 'writes as another user', value: sessions.mixed.length, atMost: 0 },
    { name: 'a round', value: each, unit: 'ms' },
  ]);
}

function resultOf(
  rounds: number,
  sightings: readonly Sighting[],
  sessions: UserSessions,
  stored: readonly string[],
  figures: readonly Figure[],
): Result {
  const leaks = sightings.flatMap((each) => each.leaks);
  const unserved = sightings.flatMap((each) => each.unserved);
  for (const each of [...leaks, ...unserved, ...stored, ...sessions.mixed].slice(0, 20)) console.error(each);
  return {
    rounds,
    lost: unserved.length,
    duplicated: sessions.repeated,
    hung: sightings.reduce((sum, { hung }) => sum + hung, 0),
    figures: [
      { name: 'told', value: sightings.reduce((sum, { told }) => sum + told, 0), atLeast: rounds },
      { name: 'told to another user', value: leaks.length, atMost: 0 },
      { name: 'stored for another user', value: stored.length, atMost: 0 },
      ...figures,
    ],
  };
}

async function openApp({ context }: Stage, path: string, interval: number): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await page.waitForFunction(() => 'offstage' in window);
  await connect(page);
  await page.evaluate((each) => window.switching.open(each), interval);
  return page;
}

function turnsFrom(user: number, length: number, turn: (user: number) => Turn): Turn[] {
  return Array.from({ length }, (_, nth) => turn(user + nth));
}

function turnOf(user: number, random: Random): Turn {
  return {
    user,
    signsOut: random.chance(0.3),
    reads: random.between(2, 7),
    writes: 0,
    after: random.between(0, 20),
  };
}

/** The tab is shown again. Where the browser has thrown it out of its cache, it is loaded anew. */
async function comeBack(tab: Page): Promise<void> {
  await tab.goBack({ waitUntil: 'commit' });
  await tab.waitForFunction(() => 'switching' in window);
  const isThere = await tab.evaluate(() => window.switching.sighting().returns > 0);
  if (isThere) return;
  await connect(tab);
  await tab.evaluate((each) => window.switching.open(each), CALM);
}

/** What is stored in any database though it is not the present user's. */
async function foreignIn(tab: Page, user: number): Promise<string[]> {
  const { text, names } = await tab.evaluate(() => window.users.stored());
  const users = new Set([...text.matchAll(/user-(\d+);/g)].map(([, found]) => Number(found)));
  users.delete(user);
  const strays = names.length > 2 ? [`databases ${names.join(', ')} of user ${user}`] : [];
  return [...[...users].map((each) => `user-${each}; is stored for user ${user}`), ...strays];
}

function sightingsOf(tabs: readonly Page[]): Promise<Sighting[]> {
  return Promise.all(tabs.map((tab) => tab.evaluate(() => window.switching.sighting())));
}
