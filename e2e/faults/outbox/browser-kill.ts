import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { until } from '../until.ts';
import { row } from './world.ts';

/** Writes that are to be acknowledged for each round, and how many one life of the browser queues. */
const ACKNOWLEDGED = 100;
const WRITES = 2 * ACKNOWLEDGED;

/** The browser is killed within so many milliseconds after the last write that it was to acknowledge, which comes in time. */
const LATER = 300;
const PATIENCE = 60_000;

/** Before each of so many kills all that waits arrives: else 10,000 would wait, and no more is taken then. */
const ARRIVES = 10;

/** After so many kills it says how far it is: its full figure takes half an hour. */
const SAID = 20;

/**
 * The browser is killed, with all its processes, while writes are queued and sent. It lives until some of its writes are acknowledged,
 * as many as chance says: a slow machine kills it amid as much work as a fast one. A round is one kill, or more, until as many are
 * acknowledged.
 */
export const browserKill: Row = row(
  { number: 4, name: 'browser-kill', rounds: { short: 3, long: 200 }, slow: true },
  async (world, { rounds, random }, browser) => {
    world.server.takes = () => random.between(0, 30);
    let kills = 0;
    while (kills < rounds || world.acknowledged < rounds * ACKNOWLEDGED) {
      kills += 1;
      if (kills % SAID === 0) console.error(`${kills} kills, ${world.acknowledged} writes acknowledged`);
      const enough = world.acknowledged + random.between(0, WRITES);
      await world.queueInVain(WRITES);
      await until(`${enough} are acknowledged`, () => world.acknowledged >= enough, PATIENCE);
      if (kills % ARRIVES === 0) await world.drained();
      await sleep(random.between(0, LATER));
      await browser.kill();
      await world.open();
    }
    return [
      { name: 'kills', value: kills, atLeast: rounds },
      { name: 'acknowledged by then', value: world.acknowledged, atLeast: rounds * ACKNOWLEDGED },
    ];
  },
);
