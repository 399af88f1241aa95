import type { MortalBrowser } from '../mortal/mortal-browser.ts';
import type { Bench, Figure, Result, Row } from '../row.ts';
import { until } from '../until.ts';
import { LANES, runIn, type World } from './world.ts';

/** Writes of a round where workers live for seconds. */
const WRITES = 12;

/** Milliseconds after the last message of a page in which such a worker ends, whatever it still does. */
const SHORT_LIFE = 3_000;

/** Milliseconds in which it must have ended. */
const PATIENCE = 30_000;

/** Milliseconds that each answer takes, or half of them, where workers live as long as those of users. */
const SLOW = 10_000;

/**
 * Milliseconds after which a worker has ended that no page needs. Firefox ends it a minute after the last message. In Chromium
 * the worker holds that message for two minutes, a `sync` for two more, and dies half a minute later.
 */
const LONG_LIFE = { firefox: 60_000, chromium: 270_000 } as const;
const MARGIN = 30_000;

/** The most tries for one end: now and then a worker has sent all before it ends. */
const MOST = 2;

/** How many rounds go with short lives for one with a long one, which only Firefox has. */
const SHORT_LIVES = 50;

/**
 * The browser ends the worker in the midst of a drain, since its server is slow: with the tab open, or after it was closed. A
 * round is one such end.
 */
export const drainTimeout: Row = {
  number: 32,
  name: 'drain-timeout',
  rounds: { short: 5, long: 100 },
  slow: true,
  engines: ['chromium', 'firefox'],
  run,
};

async function run(bench: Bench): Promise<Result> {
  const long = { ...bench, rounds: Math.ceil(bench.rounds / SHORT_LIVES) };
  const results = [
    ...(bench.engine === 'firefox' ? [await runIn({ userLifetimes: false }, bench, playShort)] : []),
    await runIn({ userLifetimes: true }, long, playLong),
  ];
  const sum = (name: 'rounds' | 'lost' | 'duplicated' | 'hung'): number =>
    results.reduce((total, result) => total + result[name], 0);
  return {
    rounds: sum('rounds'),
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    hung: sum('hung'),
    figures: results.flatMap(({ figures }) => figures),
  };
}

/** A third of the tabs are closed while their writes wait. Goes on until enough workers have ended in the midst of a drain. */
async function playShort(world: World, bench: Bench, browser: MortalBrowser): Promise<readonly Figure[]> {
  const { rounds, random } = bench;
  const { server } = world;
  server.takes = (_number, nth) =>
    nth <= 2 && random.chance(0.5) ? random.between(SHORT_LIFE, 3 * SHORT_LIFE) : random.between(0, 300);
  server.fate = () => random.one(['performed', 'performed-early']);
  let [ended, alone, played] = [0, 0, 0];
  while (ended < rounds && played < rounds * MOST) {
    played += 1;
    const before = server.givenUp;
    await world.queue(WRITES);
    if (random.chance(1 / 3)) {
      await world.close();
      await browser.leaveAlone(2 * SHORT_LIFE);
      await world.open();
      alone += 1;
    }
    const isEnded = until(
      'an attempt is cut by the end of its worker',
      () => server.givenUp > before,
      PATIENCE,
    );
    if (
      await isEnded.then(
        () => true,
        () => false,
      )
    )
      ended += 1;
  }
  return [
    { name: 'ends in the midst', value: ended, atLeast: rounds },
    { name: 'tries', value: played },
    { name: 'of them without a tab', value: alone },
    { name: 'attempts cut by them', value: server.givenUp },
  ];
}

/** More is queued than can be sent in time, and the tab is closed. */
async function playLong(world: World, bench: Bench, browser: MortalBrowser): Promise<readonly Figure[]> {
  const { rounds, engine, random } = bench;
  const { server } = world;
  const alone = LONG_LIFE[engine] + MARGIN;
  let [ended, sent] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    server.takes = () => random.between(SLOW / 2, SLOW);
    server.fate = () => random.one(['performed', 'performed-early']);
    const cut = server.givenUp;
    await world.queue(LANES.length * Math.ceil((2 * alone) / SLOW));
    const attempted = server.attempted;
    await world.close();
    await browser.leaveAlone(alone);
    sent += server.attempted - attempted;
    if (server.givenUp > cut) ended += 1;
    await world.open();
    server.heal();
    await world.drained();
  }
  return [
    { name: 'ends of workers with the lives of users', value: ended, atLeast: rounds },
    { name: 'attempts without a tab', value: sent, atLeast: LANES.length * rounds },
  ];
}
