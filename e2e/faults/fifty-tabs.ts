import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { sendJson } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** Tabs of a long run, and of a short one. */
const TABS = { long: 50, short: 5 };

/** What all of them poll: its version is the number of the request. */
const TICKS = '/ticks';

/** Milliseconds from one request to the next, and those that a busy machine may be late by. */
const PERIOD = 1_000;
const LATE = 900;

/** Milliseconds within which the last answer has to be told to all. */
const LAG = 2_000;

/**
 * Many tabs poll one URL: it is asked once a period, and every tab is told of every answer. Halfway the tab that started
 * it is closed, which changes nothing. A round is one period.
 */
export const fiftyTabs: Row = {
  number: 24,
  name: 'fifty-tabs',
  rounds: { short: 4, long: 60 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const { server } = stage;
  const isLong = rounds > 20;
  server.on(`GET ${TICKS}`, (exchange) => sendJson(exchange, { version: asked(server).length }));
  const tabs = await openTabs(stage, isLong ? TABS.long : TABS.short);
  const from = asked(server).length;
  const half = (rounds * PERIOD) / 2;
  await sleep(half);
  const followers = await followersOf(tabs.at(-1));
  const [first, ...left] = tabs;
  await first?.close();
  await sleep(half);
  const to = asked(server).length;
  const untold = await Promise.all(left.map((tab) => untoldOf(tab, from + 1, to)));
  // A tab that is gone is forgotten by and by (invariant 13).
  const remaining = await until('the closed tab is forgotten', async () => {
    return (await followersOf(left[0])) === left.length;
  }).then(
    () => left.length,
    () => followersOf(left[0]),
  );
  return {
    rounds,
    lost: untold.reduce((sum, each) => sum + each, 0),
    duplicated: tooMany(asked(server)),
    hung: 0,
    figures: [
      { name: 'followers of the one loop', value: followers, atLeast: tabs.length, atMost: tabs.length },
      { name: 'with one closed', value: remaining, atLeast: left.length, atMost: left.length },
      { name: 'requests', value: asked(server).length, atLeast: rounds },
      { name: 'longest gap', value: Math.max(...gaps(asked(server))), unit: 'ms', atMost: PERIOD + LATE },
      { name: 'shortest gap', value: Math.min(...gaps(asked(server))), unit: 'ms', atLeast: PERIOD - LATE },
    ],
  };
}

async function openTabs(stage: Stage, count: number): Promise<Page[]> {
  const tabs: Page[] = [];
  while (tabs.length < count) {
    const tab = await stage.openTab();
    await tab.evaluate(({ url, interval }) => window.loops.follow(url, 'poll', interval), {
      url: TICKS,
      interval: PERIOD,
    });
    tabs.push(tab);
  }
  return tabs;
}

/** When the server was asked, in milliseconds of the epoch. */
function asked(server: FixtureServer): number[] {
  return server.journal.of(TICKS).map(({ at }) => at);
}

function gaps(instants: readonly number[]): number[] {
  return instants.slice(1).map((at, index) => at - (instants[index] ?? at));
}

/** Requests above one a period. */
function tooMany(instants: readonly number[]): number {
  const [first = 0, last = first] = [instants[0], instants.at(-1)];
  return Math.max(0, instants.length - 1 - Math.round((last - first) / PERIOD));
}

/** How many pages follow the only loop; NaN where there is none, or more than one. */
async function followersOf(tab: Page | undefined): Promise<number> {
  const loops = await tab?.evaluate(async () => (await window.offstage.connect().inspect()).loops);
  const [loop, ...others] = loops ?? [];
  return loop && others.length === 0 ? loop.pages : Number.NaN;
}

/** How many of the answers `from` to `to` a tab was not told. */
async function untoldOf(tab: Page, from: number, to: number): Promise<number> {
  const heard = async (): Promise<Set<number>> =>
    new Set(
      await tab.evaluate(() =>
        window.loops.FOLLOWED.flatMap((each) => each.heard.map(({ version }) => version)),
      ),
    );
  const wanted = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  await until('the last answer is told', async () => (await heard()).has(to), LAG).catch(() => {});
  const told = await heard();
  return wanted.filter((version) => !told.has(version)).length;
}
