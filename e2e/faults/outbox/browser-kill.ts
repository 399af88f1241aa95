import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { row } from './world.ts';

/** Writes of one life of the browser, and milliseconds within which it is killed. */
const WRITES = 100;
const LIFE = 1_500;

/** After so many kills it says how far it is: its full figure takes a quarter of an hour. */
const SAID = 20;

/** The most kills of one round: some come before many of its writes are acknowledged. */
const MOST = 3;

/**
 * The browser is killed, with all its processes, while writes are queued and sent. A round is one kill, or more, until as many writes
 * are acknowledged as it makes.
 */
export const browserKill: Row = row(
  { number: 4, name: 'browser-kill', rounds: { short: 3, long: 200 }, slow: true },
  async (world, { rounds, random }, browser) => {
    world.server.takes = () => random.between(0, 30);
    let kills = 0;
    const lacks = (): boolean => world.acknowledged < rounds * WRITES && kills < rounds * MOST;
    while (kills < rounds || lacks()) {
      kills += 1;
      if (kills % SAID === 0) console.error(`${kills} kills, ${world.acknowledged} writes acknowledged`);
      await world.queueInVain(WRITES);
      await sleep(random.between(100, LIFE));
      await browser.kill();
      await world.open();
    }
    return [
      { name: 'kills', value: kills, atLeast: rounds },
      { name: 'acknowledged by then', value: world.acknowledged, atLeast: rounds * WRITES },
    ];
  },
);
