import { setTimeout as sleep } from 'node:timers/promises';
import { FixtureServer } from '../server/fixture-server.ts';
import { Changes } from './feed/changes.ts';
import { lifeOf, Listeners, type Listener } from './feed/listeners.ts';
import { judgeLives } from './feed/lives.ts';
import { openMortal } from './mortal/open-mortal.ts';
import { planOf, wanted, type Count } from './feed/plan.ts';
import { MAIN, Tabs } from './feed/tabs.ts';
import { percentile, type Bench, type Figure, type Result, type Row } from './row.ts';
import { until } from './until.ts';

/** Milliseconds that a busy page stays so past the fault, and that a page needs to ask again. */
const MOMENT = 100;

/** Milliseconds after which the last change must have been told. */
const PATIENCE = 30_000;

/** Milliseconds in which the request of a dead worker must be closed. */
const OVERLAP = 500;

/** Stops of the worker after which pages must have seen so many of its lives, too. */
const MANY = 100;

/** What went wrong that is shown, of each kind. */
const SHOWN = 5;

/**
 * A page follows a long-poll feed of numbered changes, while the worker, the browser and the page itself are ended at
 * random instants, and a second tab comes and goes: each life of a page hears a sequence without a gap, and each goes on
 * where the one before was. A round is one change.
 */
export const feedKill: Row = {
  number: 45,
  name: 'feed-kill',
  rounds: { short: 100, long: 10_000 },
  slow: true,
  engines: ['chromium', 'firefox'],
  run,
};

async function run(bench: Bench): Promise<Result> {
  const { rounds, random } = bench;
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const changes = new Changes(server, random);
  const browser = await openMortal(bench);
  const listeners = new Listeners(server, () => !tabs.hasNeighbour);
  const tabs = new Tabs(browser, listeners, (tab) => `${server.url}/feed.html?tab=${tab}`);
  try {
    await tabs.begin();
    const done = { stop: 0, kill: 0, crash: 0, reload: 0, neighbour: 0 };
    for (const { fault, span, at, busy, changes: due } of planOf(rounds, random)) {
      const made = changes.make(due, span);
      await sleep(at - busy);
      if (busy > 0) listeners.keepBusy(busy + MOMENT);
      await sleep(busy);
      if (await tabs[fault]()) done[fault] += 1;
      await made;
    }
    await until('the last change is told', () => newest(listeners) === rounds, PATIENCE).catch(() => {});
    // It asks for more.
    await sleep(MOMENT);
    return resultOf(rounds, done, changes, listeners);
  } finally {
    await browser.end();
    await server.down();
  }
}

function newest(listeners: Listeners): number {
  return listeners.of(MAIN).at(-1)?.reports.at(-1)?.numbers.at(-1) ?? 0;
}

function resultOf(rounds: number, done: Count, changes: Changes, listeners: Listeners): Result {
  const verdict = judgeLives(listeners.all.map(lifeOf), MAIN, rounds);
  for (const words of [verdict.lost, verdict.duplicated, listeners.troubles]) show(words);
  return {
    rounds: changes.last,
    lost: verdict.lost.length,
    duplicated: verdict.duplicated.length,
    hung: changes.forNobody,
    figures: [...figuresOf(done, wanted(rounds)), ...watchedOf(changes, listeners, wanted(rounds))],
  };
}

/** Standard output belongs to the rows. */
function show(words: readonly string[]): void {
  for (const each of words.slice(0, SHOWN)) console.error(each);
}

function figuresOf(done: Count, planned: Count): Figure[] {
  return [
    // The next worker may not have been started yet.
    { name: 'stops of the worker', value: done.stop, atLeast: Math.ceil(planned.stop / 3) },
    { name: 'kills of the browser', value: done.kill, atLeast: planned.kill },
    { name: 'of all renderers', value: done.crash, atLeast: planned.crash },
    { name: 'reloads', value: done.reload, atLeast: planned.reload },
    { name: 'comings and goings of a second tab', value: done.neighbour, atLeast: planned.neighbour },
  ];
}

function watchedOf(changes: Changes, { all, troubles, workers, late }: Listeners, planned: Count): Figure[] {
  const waits = all.flatMap((listener) => waitsOf(listener, changes));
  // Some die before a page has heard of them: of few that may be all.
  const lives = planned.stop >= MANY ? { atLeast: Math.ceil(planned.stop / 6) } : {};
  const again = all.reduce((sum, each) => sum + lifeOf(each).numbers.length, 0) - changes.last;
  return [
    { name: 'lives of the worker', value: workers.size, ...lives },
    { name: 'of pages', value: all.length },
    { name: 'told to more than one life', value: again },
    { name: 'failures and resets told', value: troubles.length, atMost: 0 },
    { name: 'reports by beacon', value: late },
    { name: 'requests', value: changes.asked },
    // The server may see the end of a request after that of the worker, or the page, that asked it.
    { name: 'of them beside another', value: changes.beside, atMost: workers.size + all.length },
    { name: 'longest overlap', value: changes.longestOverlap, unit: 'ms', atMost: OVERLAP },
    { name: 'p50 to be told', value: percentile(waits, 0.5), unit: 'ms' },
    { name: 'longest', value: percentile(waits, 1), unit: 'ms' },
  ];
}

/** Milliseconds from when a change was made, or the page began if that was later, until the page had heard of it. */
function waitsOf({ beganAt, reports }: Listener, { madeAt }: Changes): number[] {
  return reports.flatMap(({ numbers, at }) =>
    numbers.map((number) => at - Math.max(beganAt, madeAt[number - 1] ?? 0)),
  );
}
