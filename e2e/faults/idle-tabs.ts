import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerMessages, type Heard } from './worker-messages.ts';

const MINUTE = 60_000;

/** Milliseconds from one poll to the next: few polls, for which the worker is needed all the time. */
const INTERVAL = 50_000;

/** Milliseconds after which the tabs that have just come no longer ask. */
const SETTLED = 5_000;

/** Milliseconds within which another tab must ask: the worker has half a minute to live. */
const HAND_OVER = 25_000;

/**
 * Many tabs have polls for which the worker is needed. One tab of them keeps it alive, at the price of a single tab;
 * then that one is closed, and another takes over. A round is one tab.
 */
export const idleTabs: Row = {
  number: 34,
  name: 'idle-tabs',
  rounds: { short: 10, long: 50 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const tabs = [await openTab(stage, 0)];
  const messages = await WorkerMessages.of(stage.context);
  const alone = await overMinute(messages);
  while (tabs.length < rounds) tabs.push(await openTab(stage, tabs.length));
  await until('every loop runs', async () => (await loopsOf(tabs)) === rounds);
  await sleep(SETTLED);
  const together = await overMinute(messages);
  const loops = await loopsOf(tabs);
  const keeper = stays(together).at(-1)?.from;
  const closedAt = Date.now();
  const left = await close(tabs, keeper);
  const after = await overMinute(messages, closedAt);
  const takenOver = stays(after).find(({ from }) => from !== keeper)?.at ?? Infinity;
  const most = 2 * stays(alone).length;
  return {
    rounds,
    lost: await silent(left, closedAt),
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'tabs', value: tabs.length, atLeast: rounds },
      { name: 'closed', value: tabs.length - left.length, atLeast: 1, atMost: 1 },
      { name: 'keepalive messages a minute, one tab', value: stays(alone).length, atLeast: 1 },
      { name: 'keepalive messages a minute', value: stays(together).length, atLeast: 1, atMost: most },
      {
        name: 'keepalive messages a minute, keeper closed',
        value: stays(after).length,
        atLeast: 1,
        atMost: most,
      },
      { name: 'taken over after', value: takenOver - closedAt, unit: 'ms', atMost: HAND_OVER },
      { name: 'answers to ticks a minute', value: of('answer', together).length },
      { name: 'other messages', value: of('other', together).length, atMost: 0 },
      { name: 'loops', value: loops, atLeast: rounds, atMost: rounds },
      { name: 'loops left', value: await loopsOf(left), atLeast: rounds - 1, atMost: rounds - 1 },
    ],
  };
}

/** Each with a poll, and with a URL by which it is known to the worker. */
async function openTab(stage: Stage, index: number): Promise<Page> {
  const tab = await stage.openTab(`/?tab=${index}`);
  await tab.evaluate(({ url, interval }) => window.loops.follow(url, 'poll', interval), {
    url: `/etag/tab-${index}`,
    interval: INTERVAL,
  });
  return tab;
}

async function overMinute(messages: WorkerMessages, from = Date.now()): Promise<Heard[]> {
  await sleep(from + MINUTE - Date.now());
  return messages.since(from);
}

function of(kind: Heard['kind'], heard: readonly Heard[]): Heard[] {
  return heard.filter((each) => each.kind === kind);
}

function stays(heard: readonly Heard[]): Heard[] {
  return of('keepalive', heard);
}

/** How many the worker has. */
async function loopsOf([tab]: readonly Page[]): Promise<number> {
  if (!tab) return 0;
  return tab.evaluate(async () => (await window.offstage.connect().inspect()).loops.length);
}

/** Closes the tab of that URL; returns those that are left. */
async function close(tabs: readonly Page[], url: string | undefined): Promise<Page[]> {
  const left = tabs.filter((tab) => tab.url() !== url);
  for (const tab of tabs) if (!left.includes(tab)) await tab.close();
  return left;
}

/** How many of the tabs have heard of no tick since then. */
async function silent(tabs: readonly Page[], then: number): Promise<number> {
  const told = await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(
        (from) => window.loops.FOLLOWED.some(({ heard }) => heard.some(({ at }) => at > from)),
        then,
      ),
    ),
  );
  return told.filter((each) => !each).length;
}
