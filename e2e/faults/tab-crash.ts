import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** Milliseconds within which the loops of a crashed tab must have ended (invariant 13). */
const LIMIT = 10_000;

/** Milliseconds past the limit during which no request of a crashed tab may arrive. */
const WATCH = 1_500;

/** A tab's renderer crashes: its loops end within ten seconds, those of another tab go on. A round is one crash. */
export const tabCrash: Row = {
  number: 23,
  name: 'tab-crash',
  rounds: { short: 1, long: 20 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const { server } = stage;
  const survivor = await stage.openTab();
  await follow(survivor, 'survivor');
  const last: number[] = [];
  let [held, still] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const name = `tab-${round}`;
    const tab = await stage.openTab();
    await follow(tab, name);
    await until('both loops run', () => polls(server, name).length > 2 && waiting(server, name) === 1);
    const crashedAt = await crash(tab);
    await sleep(LIMIT + WATCH);
    last.push(Math.max(...polls(server, name)) - crashedAt);
    held += waiting(server, name);
    if (polls(server, 'survivor').every((at) => at < Date.now() - WATCH)) still += 1;
  }
  return {
    rounds,
    lost: 0,
    duplicated: 0,
    hung: held,
    figures: [
      { name: 'last request after a crash', value: Math.max(...last), unit: 'ms', atMost: LIMIT },
      { name: 'rounds in which the other tab stood still', value: still, atMost: 0 },
    ],
  };
}

/** Has a tab poll and long-poll, each under the tab's name. */
async function follow(tab: Page, name: string): Promise<void> {
  await tab.evaluate((each) => {
    window.loops.follow(`/etag/${each}`, 'poll');
    window.loops.follow(`/hold?key=${each}`, 'longPoll');
  }, name);
}

/** When the poll of that name was asked, in milliseconds of the epoch. */
function polls(server: FixtureServer, name: string): number[] {
  return server.journal.of(`/etag/${name}`).map(({ at }) => at);
}

/** How many long-polls of that name wait for their answer. */
function waiting(server: FixtureServer, name: string): number {
  return server.journal.open('/hold').filter(({ url }) => url === `/hold?key=${name}`).length;
}

/** Returns when, in milliseconds of the epoch. */
async function crash(tab: Page): Promise<number> {
  const devtools = await tab.context().newCDPSession(tab);
  const crashed = tab.waitForEvent('crash');
  // Whoever is asked to crash does not answer.
  devtools.send('Page.crash').catch(() => {});
  await crashed;
  return Date.now();
}
