import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { Queued } from '../../page/outbox.ts';
import type { Bench, Figure, Result, Row } from '../row.ts';
import { Stage } from '../stage.ts';
import { until } from '../until.ts';
import { WorkerStops } from '../worker-stops.ts';
import { WriteServer } from './write-server.ts';
import type { Fate } from './write-server.ts';

const LANES = ['a', 'b', 'c', 'd'];

/** Milliseconds within which a call is acknowledged, and within which all arrives once nothing is wrong any more. */
const ACKNOWLEDGED = 20_000;
const HEALED = 120_000;

/** Writes of one tab, and what came of them at their server. */
export class World {
  readonly server: WriteServer;
  readonly tab: Page;
  readonly #acknowledged: number[] = [];
  #hung = 0;
  #last = 0;

  constructor(stage: Stage, tab: Page) {
    this.server = new WriteServer(stage.server, LANES);
    this.tab = tab;
  }

  /** Queues so many; resolves once each is acknowledged, or has failed to be. */
  async queue(count: number, lanes: readonly string[] = LANES): Promise<void> {
    const from = this.#last + 1;
    this.#last += count;
    const queued: Queued = await this.tab.evaluate(
      (given) => window.outbox.queue(given.from, given.count, given.lanes, given.patience),
      { from, count, lanes: [...lanes], patience: ACKNOWLEDGED },
    );
    this.#acknowledged.push(...queued.acknowledged);
    this.#hung += queued.hung;
  }

  /** Resolves once nothing waits for its server any more, or after the longest time for that. */
  async drained(): Promise<void> {
    const isOver = async (): Promise<boolean> => {
      const waiting = await this.tab.evaluate(() => window.outbox.waiting()).catch(() => null);
      return waiting !== null && !['queued', 'sending', 'paused'].some((state) => state in waiting);
    };
    await until('all has arrived', isOver, HEALED).catch(() => {});
  }

  /** Nothing is wrong from here on: says what came of all that was acknowledged. `isVisible`: it may wait for a decision. */
  async verdict(rounds: number, figures: readonly Figure[] = []): Promise<Result> {
    this.server.fate = () => 'performed';
    await this.drained();
    const shown = Object.values(await this.tab.evaluate(() => window.outbox.waiting())).flat();
    const performed = this.server.all;
    const [there, distinct] = [new Set([...performed, ...shown]), new Set(performed)];
    return {
      rounds,
      lost: this.#acknowledged.filter((number) => !there.has(number)).length,
      duplicated: performed.length - distinct.size + this.server.mixed,
      hung: this.#hung,
      figures: [
        { name: 'acknowledged', value: this.#acknowledged.length, atLeast: 1 },
        { name: 'out of their order', value: this.server.unordered, atMost: 0 },
        { name: 'attempts', value: [...this.server.attempts.values()].reduce((sum, each) => sum + each, 0) },
        ...figures,
      ],
    };
  }
}

/** A row that queues writes in one tab of a browser of its own. */
export function row(
  description: Omit<Row, 'run'>,
  play: (world: World, bench: Bench, stage: Stage) => Promise<readonly Figure[] | void>,
): Row {
  return {
    ...description,
    run: (bench) =>
      Stage.use(bench, async (stage) => {
        const world = new World(stage, await stage.openTab());
        const figures = (await play(world, bench, stage)) ?? [];
        return world.verdict(bench.rounds, figures);
      }),
  };
}

/** The worker dies while writes are stored, sent and answered. A round is one write. */
export const crashAfterCommit: Row = row(
  { number: 5, name: 'crash-after-commit', rounds: { short: 40, long: 1_000 }, slow: true },
  async (world, { rounds, random }) => {
    const stops = await WorkerStops.through(world.tab);
    world.server.takes = () => random.between(0, 20);
    for (let queued = 0; queued < rounds; queued += 20) {
      const queueing = world.queue(Math.min(20, rounds - queued));
      for (let stop = 0; stop < 3; stop += 1) {
        await sleep(random.between(0, 150));
        await stops.stop();
      }
      await queueing;
    }
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
  async (world, { rounds, random }, stage) => {
    for (let flip = 0; flip < rounds; flip += 1) {
      await stage.context.setOffline(flip % 2 === 0);
      await world.queue(2);
      await sleep(random.between(0, 300));
    }
    await stage.context.setOffline(false);
  },
);

/** A long queue comes to be without a network, and goes when there is one. A round is one write. */
export const longQueue: Row = row(
  { number: 10, name: 'long-queue', rounds: { short: 200, long: 5_000 }, slow: true },
  async (world, { rounds }, stage) => {
    await stage.context.setOffline(true);
    for (let queued = 0; queued < rounds; queued += 500) await world.queue(Math.min(500, rounds - queued));
    await stage.context.setOffline(false);
    const began = Date.now();
    await until('all has arrived', () => world.server.all.length >= rounds, HEALED).catch(() => {});
    return [{ name: 'writes a second', value: (rounds * 1_000) / (Date.now() - began) }];
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
    const waiting = await world.tab.evaluate(() => window.outbox.waiting());
    const counted = rounds - Object.values(waiting).flat().length;
    return [{ name: 'taken for delivered', value: counted, atMost: 0 }];
  },
);

/** The server wants other credentials. A round is one write. */
export const authExpired: Row = row(
  { number: 13, name: 'auth-expired', rounds: { short: 20, long: 200 }, slow: true },
  async (world, { rounds, random }) => {
    const asked = await world.tab.evaluateHandle(() => window.outbox.provide());
    world.server.fate = () => ({ status: random.one([401, 403]) });
    await world.queue(rounds);
    await until('all lanes are paused', async () => {
      const { paused = [] } = await world.tab.evaluate(() => window.outbox.waiting());
      return paused.length > 0;
    });
    await sleep(2_000);
    const attempts = [...world.server.attempts.values()].reduce((sum, each) => sum + each, 0);
    const times = await asked.evaluate((each) => each.times);
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
    const heard = await world.tab.evaluateHandle(() => window.outbox.listen());
    world.server.fate = (number) =>
      number % 2 === 0 ? { status: [400, 410, 422][number % 3] ?? 400 } : 'performed';
    await world.queue(rounds);
    const refused = Math.floor(rounds / 2);
    const isTold = async (): Promise<boolean> => {
      const told = await heard.evaluate(({ heard: all }) => all);
      return told.filter(([type]) => type === 'review').length >= refused && told.length >= rounds;
    };
    await until('each end is told', isTold, HEALED).catch(() => {});
    const told = await heard.evaluate(({ heard: all }) => all);
    const kept = await world.tab.evaluate(() => window.outbox.waiting());
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
