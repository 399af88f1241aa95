import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { until } from '../until.ts';
import { LANES, row } from './world.ts';
import type { Fate } from './write-server.ts';

/** Milliseconds within which all arrives once nothing is wrong any more. */
const HEALED = 120_000;

/**
 * The worker dies while writes are stored, sent and answered. A round is one write. A Firefox whose worker is killed while it
 * starts does not start it again before its lifetime is over, which must not be that of users.
 */
export const crashAfterCommit: Row = row(
  {
    number: 5,
    name: 'crash-after-commit',
    rounds: { short: 40, long: 1_000 },
    slow: true,
    userLifetimes: false,
  },
  async (world, { rounds, random }, browser) => {
    world.server.takes = () => random.between(0, 20);
    let stops = 0;
    for (let queued = 0; queued < rounds; queued += 20) {
      const stopSome = async (): Promise<void> => {
        for (let stop = 0; stop < 3; stop += 1) {
          await sleep(random.between(0, 150));
          if (await browser.stopWorker()) stops += 1;
        }
      };
      await Promise.all([world.queue(Math.min(20, rounds - queued)), stopSome()]);
    }
    return [{ name: 'stops of the worker', value: stops, atLeast: rounds / 20 }];
  },
);

/** The server performs a write, and the connection is cut before its answer. A round is one write. */
export const answerLost: Row = row(
  { number: 6, name: 'answer-lost', rounds: { short: 20, long: 1_000 }, slow: true },
  async (world, { rounds, random }) => {
    world.server.fate = (_number, nth) => (nth < 3 && random.chance(0.5) ? 'unheard' : 'performed');
    for (let queued = 0; queued < rounds; queued += 50) await world.queue(Math.min(50, rounds - queued));
    await world.drained();
    const again = [...world.server.attempts.values()].filter((attempts) => attempts > 1).length;
    return [{ name: 'sent again', value: again, atLeast: rounds / 4 }];
  },
);

/** The network comes and goes. A round is one change of it. */
export const flapping: Row = row(
  { number: 9, name: 'flapping', rounds: { short: 10, long: 500 }, slow: true },
  async (world, { rounds, random }, browser) => {
    for (let flip = 0; flip < rounds; flip += 1) {
      await browser.setOffline(flip % 2 === 0);
      await world.queue(2);
      await sleep(random.between(0, 300));
    }
    await browser.setOffline(false);
  },
);

/** A long queue comes to be without a network, and goes when there is one. A round is one write. */
export const longQueue: Row = row(
  { number: 10, name: 'long-queue', rounds: { short: 200, long: 5_000 }, slow: true },
  async (world, { rounds }, browser) => {
    await browser.setOffline(true);
    for (let queued = 0; queued < rounds; queued += 500) await world.queue(Math.min(500, rounds - queued));
    const early = world.server.attempted;
    await browser.setOffline(false);
    const began = Date.now();
    await until('all has arrived', () => world.server.all.length >= rounds, HEALED).catch(() => {});
    return [
      { name: 'attempts without a network', value: early, atMost: 0 },
      { name: 'writes a second', value: (rounds * 1_000) / (Date.now() - began) },
    ];
  },
);

/** A captive portal answers in the server's place. A round is one write. */
export const captivePortal: Row = row(
  { number: 12, name: 'captive-portal', rounds: { short: 20, long: 200 }, slow: true },
  async (world, { rounds, random }) => {
    const html = { 'Content-Type': 'text/html' };
    const portal: Fate[] = [
      { status: 200, headers: html, body: '<p>Please sign in</p>' },
      { status: 302, headers: { Location: '/portal' } },
      { status: 511, headers: html, body: '<p>Please sign in</p>' },
    ];
    world.server.fate = () => random.one(portal);
    await world.queue(rounds);
    await sleep(3_000);
    const waiting = await world.waiting();
    const counted = rounds - Object.values(waiting).flat().length;
    return [{ name: 'taken for delivered', value: counted, atMost: 0 }];
  },
);

/** The server wants other credentials. A round is one write. */
export const authExpired: Row = row(
  { number: 13, name: 'auth-expired', rounds: { short: 20, long: 200 }, slow: true },
  async (world, { rounds, random }) => {
    await world.tab.evaluate(() => window.outbox.provide());
    world.server.fate = () => ({ status: random.one([401, 403]) });
    await world.queue(rounds);
    await until('all lanes are paused', async () => {
      const { paused = [] } = await world.waiting();
      return paused.length > 0;
    });
    await sleep(2_000);
    const attempts = world.server.attempted;
    const times = await world.tab.evaluate(() => window.outbox.asked.times);
    world.server.fate = () => 'performed';
    await world.tab.evaluate(() => window.outbox.retryAll());
    return [
      { name: 'attempts while it was paused', value: attempts, atMost: 4 * LANES.length },
      { name: 'times asked for credentials', value: times, atMost: 4 * LANES.length },
    ];
  },
);

/** The server refuses for good. A round is one write. */
export const permanentRefusal: Row = row(
  { number: 14, name: 'permanent-refusal', rounds: { short: 20, long: 200 }, slow: true },
  async (world, { rounds }) => {
    await world.tab.evaluate(() => void window.outbox.listen());
    const heard = (): Promise<[string, number][]> => world.tab.evaluate(() => window.outbox.heard);
    world.server.fate = (number) =>
      number % 2 === 0 ? { status: [400, 410, 422][number % 3] ?? 400 } : 'performed';
    await world.queue(rounds);
    const refused = Math.floor(rounds / 2);
    const isTold = async (): Promise<boolean> => {
      const told = await heard();
      return told.filter(([type]) => type === 'review').length >= refused && told.length >= rounds;
    };
    await until('each end is told', isTold, HEALED).catch(() => {});
    const told = await heard();
    const kept = await world.waiting();
    return [
      {
        name: 'told for review',
        value: told.filter(([type]) => type === 'review').length,
        atLeast: refused,
        atMost: refused,
      },
      { name: 'kept for review', value: kept['review']?.length ?? 0, atLeast: refused, atMost: refused },
      {
        name: 'told as done',
        value: told.filter(([type]) => type === 'done').length,
        atLeast: rounds - refused,
      },
    ];
  },
);
