import type { Page } from '@playwright/test';
import type { Following } from '../page/loops.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

const DOCUMENT = '/etag/shared';

/** Milliseconds: between two polls, how long a tab may go without an answer, how long a tab that is back may lag. */
const INTERVAL = 200;
const STALL = 2_000;
const LAG = 1_500;

/**
 * A tab goes into the back/forward cache and comes back, while another one polls on; in every second round the worker
 * dies meanwhile. The tab that is back shows the newest revision; the other is never stalled by one that is cached.
 *
 * Not for every run of the tests: a message that is on its way as the tab leaves makes Chromium throw it out of the
 * cache, which is no fault of anybody's, and then this row cannot be measured.
 */
export const pageCache: Row = {
  number: 22,
  name: 'page-cache',
  rounds: { short: 2, long: 50 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage), ['--disable-back-forward-cache']),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const { server } = stage;
  const other = await stage.openTab();
  const stops = await WorkerStops.through(other);
  await follow(other);
  const tab = await stage.openTab();
  const reasons = await reasonsAgainst(tab);
  await follow(tab);
  let [restored, missed, older, slowest] = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await leave(tab);
    if (round % 2 === 1) await stops.stop();
    const version = await change(server);
    await until('the other tab goes on', async () => (await newest(other)) === version, STALL);
    await tab.goBack({ waitUntil: 'commit' });
    const backAt = Date.now();
    const isRestored = await tab.evaluate(() => 'loops' in window && window.loops.SHOWN.at(-1) === true);
    if (!isRestored) throw new Error(`Not restored from the page cache: ${reasons.join(', ')}`);
    restored += 1;
    await until('the tab that is back is up to date', async () => (await newest(tab)) === version, LAG).catch(
      () => (missed += 1),
    );
    slowest = Math.max(slowest, Date.now() - backAt);
  }
  for (const page of [tab, other]) older += await reversals(page);
  return {
    rounds,
    lost: missed,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'restored from the cache', value: restored, atLeast: rounds },
      { name: 'older after newer', value: older, atMost: 0 },
      { name: 'newest shown after', value: slowest, unit: 'ms', atMost: LAG },
      { name: 'longest gap of the other tab', value: await longestGap(other), unit: 'ms', atMost: STALL },
    ],
  };
}

async function follow(page: Page): Promise<void> {
  await page.evaluate(({ url, interval }) => window.loops.follow(url, 'poll', interval), {
    url: DOCUMENT,
    interval: INTERVAL,
  });
}

/** Why the browser could not restore a tab, as it comes to say it. */
async function reasonsAgainst(tab: Page): Promise<readonly string[]> {
  const reasons: string[] = [];
  const devtools = await tab.context().newCDPSession(tab);
  devtools.on('Page.backForwardCacheNotUsed', ({ notRestoredExplanations }) =>
    reasons.push(...notRestoredExplanations.map(({ reason }) => reason)),
  );
  await devtools.send('Page.enable');
  return reasons;
}

async function leave(tab: Page): Promise<void> {
  await tab.goto('/bare.html');
}

/** Returns the version that the document has from now on. */
async function change(server: FixtureServer): Promise<number> {
  const answer = await fetch(`${server.url}${DOCUMENT}`, { method: 'POST' });
  const { version }: { readonly version: number } = await answer.json();
  return version;
}

/** What a tab was told, in order. */
function heard(page: Page): Promise<Following['heard']> {
  return page.evaluate(() => window.loops.FOLLOWED.flatMap((each) => each.heard));
}

async function newest(page: Page): Promise<number> {
  return (await heard(page)).at(-1)?.version ?? 0;
}

function pairs<T>(values: readonly T[]): (readonly [T, T])[] {
  return values.flatMap((value, index) => {
    const next = values[index + 1];
    return next === undefined ? [] : [[value, next] as const];
  });
}

async function reversals(page: Page): Promise<number> {
  return pairs(await heard(page)).filter(([one, next]) => next.version < one.version).length;
}

async function longestGap(page: Page): Promise<number> {
  return Math.max(...pairs(await heard(page)).map(([one, next]) => next.at - one.at));
}
