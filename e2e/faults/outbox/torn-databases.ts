import { setTimeout as sleep } from 'node:timers/promises';
import { tearDatabases } from '../mortal/torn-files.ts';
import type { Row } from '../row.ts';
import { row, type World } from './world.ts';

/** Writes of one life of the browser, and milliseconds for which it goes on sending them at most. */
const WRITES = 20;
const LIFE = 1_500;

/** A database that only the row knows. */
const WITNESS = 'witness';

/**
 * The browser is killed, finds the files of its databases torn as it starts, and deletes all databases of the origin. Those who queued
 * writes are signed in. A round is one such loss.
 */
export const tornDatabases: Row = row(
  { number: 48, name: 'torn-databases', rounds: { short: 3, long: 100 }, slow: true, engines: ['chromium'] },
  async (world, { rounds, random }, browser) => {
    const busy = { status: 503, headers: { 'Retry-After': '1' } };
    world.server.fate = () => (random.chance(0.5) ? 'performed' : busy);
    await signIn(world);
    let losses = 0;
    for (let round = 0; round < rounds; round += 1) {
      await world.tab.evaluate(makeWitness, WITNESS);
      await world.queue(WRITES);
      await sleep(random.between(0, LIFE));
      await browser.kill();
      await tearDatabases(browser.profile);
      await world.open();
      if (!(await world.tab.evaluate(isThere, WITNESS))) losses += 1;
      await signIn(world);
    }
    return [
      { name: 'losses', value: losses, atLeast: rounds },
      { name: 'performed by then', value: world.server.all.length, atLeast: rounds / 4 },
      { name: 'waited', value: sum(await world.waiting()), atLeast: rounds },
    ];
  },
);

function signIn({ tab }: World): Promise<unknown> {
  return tab.evaluate(() => window.offstage.connect().signIn('ada'));
}

function makeWitness(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.addEventListener('error', () => reject(new Error(String(request.error))));
    request.addEventListener('success', () => {
      request.result.close();
      resolve();
    });
  });
}

async function isThere(name: string): Promise<boolean> {
  return (await indexedDB.databases()).some((each) => each.name === name);
}

function sum(waiting: Readonly<Record<string, readonly number[]>>): number {
  return Object.values(waiting).flat().length;
}
