import { setTimeout as sleep } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { Following } from '../page/loops.ts';
import { countsOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { makeCalls, plannedCalls, SPREAD } from './planned-calls.ts';
import { percentile, type Bench, type Result, type Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** A release to come: its page and its worker speak one protocol more, and its database has one version more. */
const NEWER = '/newer.html';
const NEWER_WORKER = new URL('../../.cache/e2e/newer/service-worker.js', import.meta.url);

/** Tabs of a long run, and of a short one; one half is of the present release, the other of the newer one. */
const TABS = { long: 50, short: 4 };

/** Of them, these make calls in every round. */
const CALLERS = 4;
const CALLS_PER_TAB = 6;

/** Milliseconds: every tab polls. */
const PERIOD = 2_000;

/** Milliseconds without an answer that a poll may show: two of its periods, and one for a machine at its limit. */
const LONGEST_SILENCE = 3 * PERIOD;

/**
 * The worker is replaced under load, by the newer release and by the present one in turn, while tabs of both releases
 * poll and call. A round is one swap, applied by a tab of either release.
 */
export const versionSkew: Row = {
  number: 20,
  name: 'version-skew',
  rounds: { short: 2, long: 200 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const tabs = await openTabs(stage, rounds > 20 ? TABS.long : TABS.short);
  const publish = await publisher(stage);
  const calls: Told[] = [];
  const updates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const applier = random.one(tabs);
    await publish(applier);
    const told = tabs
      .slice(0, CALLERS)
      .map((tab, index) => makeCalls(tab, plannedCalls(random, CALLS_PER_TAB, `${round}.${index}`)));
    await sleep(random.between(0, SPREAD));
    updates.push(await apply(applier));
    calls.push(...(await Promise.all(told)).flat());
  }
  const polls = await hearNews(stage, tabs);
  const { lost, duplicated, hung } = countsOf(effects.counts, calls);
  const deaf = polls.filter(({ heard }) => heard.at(-1)?.version !== NEWS).length;
  const figures = [...figuresOf(calls, updates), ...pollFiguresOf(polls)];
  return { rounds, lost: lost + deaf, duplicated, hung, figures };
}

async function openTabs(stage: Stage, count: number): Promise<Page[]> {
  const tabs: Page[] = [];
  for (let index = 0; index < count; index += 1) {
    const tab = await stage.openTab(index % 2 === 0 ? '/' : NEWER);
    await tab.evaluate((period) => window.loops.follow('/etag/news', 'poll', period), PERIOD);
    tabs.push(tab);
  }
  return tabs;
}

/** Puts the other release of the worker on the server and waits until it waits in the browser. */
async function publisher({ server }: Stage): Promise<(tab: Page) => Promise<void>> {
  const newer = await readFile(NEWER_WORKER, 'utf8');
  let isPresent = true;
  return async (tab) => {
    await until('the release that has taken over is done with that', () => isActivated(tab));
    isPresent = !isPresent;
    server.rewrite('/service-worker.js', (present) => (isPresent ? present : newer));
    await tab.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
    });
    await until('the other release waits', () =>
      tab.evaluate(() => window.offstage.connect().update !== null),
    );
  };
}

/**
 * Chromium takes a second for the `activate` event of a worker that has replaced a busy one. Who replaces that within
 * this second waits until the browser stops it of idleness.
 */
async function isActivated(tab: Page): Promise<boolean> {
  return tab.evaluate(async () => (await navigator.serviceWorker.ready).active?.state === 'activated');
}

/** Milliseconds until the tab has an answer of the worker that takes over. */
async function apply(tab: Page): Promise<number> {
  return tab.evaluate(async () => {
    const began = performance.now();
    await window.offstage.connect().update?.apply();
    return performance.now() - began;
  });
}

const NEWS = 1_000;

/** There is news, and time for every poll to hear it. */
async function hearNews({ server }: Stage, tabs: readonly Page[]): Promise<Following[]> {
  server.versions.set('/etag/news', NEWS);
  await sleep(LONGEST_SILENCE);
  const followed = await Promise.all(tabs.map((tab) => tab.evaluate(() => window.loops.FOLLOWED)));
  return followed.flat();
}

function figuresOf(calls: readonly Told[], updates: readonly number[]): Result['figures'] {
  const workerLost = calls.filter(({ ending }) => ending === 'worker-lost').length;
  return [
    { name: 'calls', value: calls.length },
    { name: 'worker-lost', value: workerLost, atMost: 0 },
    { name: 'p50 of an update', value: percentile(updates, 0.5), unit: 'ms' },
    { name: 'slowest update', value: Math.max(...updates), unit: 'ms', atMost: 1_000 },
  ];
}

function pollFiguresOf(polls: readonly Following[]): Result['figures'] {
  const silences = polls.map(({ heard }) => longestSilence(heard.map(({ at }) => at)));
  return [
    { name: 'polls', value: polls.length },
    { name: 'errors told', value: polls.flatMap(({ errors }) => errors).length, atMost: 0 },
    { name: 'longest silence', value: Math.max(...silences), unit: 'ms', atMost: LONGEST_SILENCE },
  ];
}

function longestSilence(instants: readonly number[]): number {
  return Math.max(0, ...instants.slice(1).map((at, index) => at - (instants[index] ?? at)));
}
