import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { row } from './world.ts';

/** Writes of one life of the browser, and milliseconds within which it is killed. */
const WRITES = 100;
const LIFE = 1_500;

/** The browser is killed, with all its processes, while writes are queued and sent. A round is one kill. */
export const browserKill: Row = row(
  { number: 4, name: 'browser-kill', rounds: { short: 3, long: 200 }, slow: true },
  async (world, { rounds, random }, browser) => {
    world.server.takes = () => random.between(0, 30);
    for (let round = 0; round < rounds; round += 1) {
      await world.queueInVain(WRITES);
      await sleep(random.between(100, LIFE));
      await browser.kill();
      await world.open();
    }
  },
);
