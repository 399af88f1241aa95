import { setTimeout as sleep } from 'node:timers/promises';
import type { HiddenTick } from '../page/hidden-tab.ts';
import { FixtureServer } from '../server/fixture-server.ts';
import { openBare } from './bare-chromium.ts';
import { openBareFirefox } from './bare-firefox.ts';
import { Reports } from './reports.ts';
import type { Bench, Figure, Result, Row } from './row.ts';
import { until } from './until.ts';

const MINUTE = 60_000;
const ENGINES = ['chromium', 'firefox'] as const;

/** Milliseconds from one poll to the next. */
const INTERVAL = 5_000;
const LONGEST_GAP = 1.5 * INTERVAL;

/** Milliseconds that a browser has to start, and a tab to be hidden. */
const PATIENCE = 60_000;

/** Milliseconds after which the page must have heard of an answer. */
const LAG = 2_000;

/**
 * A tab that stays hidden polls on at its own pace, in a Chromium and a Firefox that nobody drives: Chromium lets the
 * timers of such a page fire once a minute, and both end a worker that has heard of nobody for half a minute. A round
 * is one minute.
 */
export const hiddenTab: Row = {
  number: 33,
  name: 'hidden-tab',
  rounds: { short: 1, long: 10 },
  slow: true,
  run,
};

async function run({ chromium, firefox, rounds }: Bench): Promise<Result> {
  const firefoxPath = await firefox();
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const ticks = new Reports<HiddenTick>(server);
  const page = (name: string): string => `${server.url}/hidden.html?name=${name}&interval=${INTERVAL}`;
  const closings: (() => Promise<void>)[] = [];
  try {
    closings.push(await openBare(chromium, page('chromium'), ['--disable-popup-blocking']));
    closings.push(await openBareFirefox(firefoxPath, page('firefox')));
    for (const name of ENGINES) {
      await until(`a hidden tab polls in ${name}`, () => polls(server, name).length > 0, PATIENCE);
    }
    const watched = { from: Date.now(), to: Date.now() + rounds * MINUTE };
    await sleep(rounds * MINUTE);
    const seen = ENGINES.map((name) => ({ name, polls: polls(server, name) }));
    await sleep(LAG);
    const tabs = seen.map((each) => ({ ...each, told: ticks.all.filter(({ name }) => name === each.name) }));
    return resultOf(rounds, tabs, watched);
  } finally {
    for (const close of closings) await close();
    await server.down();
  }
}

/** When the tab of that name has asked, in milliseconds of the epoch. */
function polls(server: FixtureServer, name: string): number[] {
  return server.journal.of(`/etag/${name}`).map(({ at }) => at);
}

interface Tab {
  readonly name: string;
  readonly polls: readonly number[];
  readonly told: readonly HiddenTick[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function resultOf(rounds: number, tabs: readonly Tab[], watched: Span): Result {
  const lost = tabs.map(({ polls: asked, told }) => Math.max(0, asked.length - told.length));
  return {
    rounds,
    lost: lost.reduce((sum, each) => sum + each, 0),
    duplicated: 0,
    hung: 0,
    figures: tabs.flatMap((tab) => figuresOf(tab, watched)),
  };
}

function figuresOf({ name, polls: asked, told }: Tab, watched: Span): Figure[] {
  const figure = (what: string, value: number, more: Partial<Figure> = {}): Figure => ({
    name: `${what}, ${name}`,
    value,
    ...more,
  });
  const errors = told.filter(({ error }) => error !== null);
  const seen = told.filter(({ hidden }) => !hidden);
  const timers = told.map(({ slowestTimer }) => slowestTimer / 1_000);
  return [
    figure('longest gap', longestGap(asked, watched), { unit: 'ms', atMost: LONGEST_GAP }),
    figure('polls', asked.length, { atLeast: Math.floor((watched.to - watched.from) / LONGEST_GAP) }),
    figure('ticks while visible', seen.length, { atMost: 0 }),
    figure('errors told', errors.length, { atMost: 0 }),
    figure('lives of the worker', new Set(told.flatMap(({ lives }) => lives)).size),
    figure('slowest timer of the page', Math.max(0, ...timers), { unit: 's' }),
  ];
}

/** The two ends of the watch count: a loop that stops must show. */
function longestGap(asked: readonly number[], { from, to }: Span): number {
  const within = [from, ...asked.filter((at) => at > from && at < to), to];
  return Math.max(...within.slice(1).map((at, index) => at - (within[index] ?? at)));
}
