import { setTimeout as sleep } from 'node:timers/promises';
import type { Queued } from '../../page/outbox.ts';
import { FixtureServer } from '../../server/fixture-server.ts';
import type { MortalBrowser, MortalTab } from '../mortal/mortal-browser.ts';
import { openMortal } from '../mortal/open-mortal.ts';
import type { Bench, Figure, Result, Row } from '../row.ts';
import { until } from '../until.ts';
import { WriteServer } from './write-server.ts';

export const LANES: readonly string[] = ['a', 'b', 'c', 'd'];

/** Milliseconds within which a call is acknowledged, and within which something arrives once nothing is wrong any more. */
const ACKNOWLEDGED = 20_000;
const HEALED = 120_000;

/** Milliseconds between two looks at a page. */
const LOOK = 50;

/** What a page tells of its writes that wait. */
const HAS_NOT_ENDED = ['queued', 'sending', 'paused'];

/** Writes of one tab at a time, and what came of them at their server. */
export class World {
  readonly server: WriteServer;
  readonly #origin: string;
  readonly #browser: MortalBrowser;
  readonly #acknowledged = new Set<number>();
  #tab: MortalTab | null = null;
  #hung = 0;
  #last = 0;

  constructor(server: FixtureServer, browser: MortalBrowser) {
    this.server = new WriteServer(server, LANES);
    this.#origin = server.url;
    this.#browser = browser;
    server.on('POST /acknowledged', ({ body, response }) => {
      this.#acknowledged.add(Number(body.toString()));
      response.writeHead(204).end();
    });
  }

  /** How many writes pages know to be queued, as far as that has been heard of. */
  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  get tab(): MortalTab {
    if (!this.#tab) throw new Error('There is no tab');
    return this.#tab;
  }

  /** Opens a tab that is connected to the worker, in place of the one before. */
  async open(): Promise<void> {
    this.#tab = await this.#browser.open(this.#origin);
    await this.#tab.evaluate(async () => {
      await window.offstage.connect({ serviceWorker: '/service-worker.js' }).ready;
    });
  }

  async close(): Promise<void> {
    await this.tab.close();
    this.#tab = null;
  }

  /** Queues so many; resolves once each is acknowledged, or has failed to be. */
  async queue(count: number): Promise<void> {
    const { tab } = this;
    const given = { from: this.#take(count), count, lanes: LANES, patience: ACKNOWLEDGED };
    const which = await tab.evaluate(
      ({ from, count: many, lanes, patience }) => window.outbox.begin(from, many, lanes, patience),
      given,
    );
    // A script that waits would keep the driver from all else.
    let queued: Queued | null = null;
    while (!(queued = await tab.evaluate((index) => window.outbox.begun[index] ?? null, which)))
      await sleep(LOOK);
    for (const number of queued.acknowledged) this.#acknowledged.add(number);
    this.#hung += queued.hung;
  }

  /** Queues so many in a page that is killed meanwhile: each is counted that the server hears of. */
  async queueInVain(count: number): Promise<void> {
    const given = { from: this.#take(count), count, lanes: LANES };
    await this.tab.evaluate(({ from, count: many, lanes }) => {
      void window.outbox.queue(from, many, lanes, 60_000, (number) =>
        navigator.sendBeacon('/acknowledged', String(number)),
      );
    }, given);
  }

  #take(count: number): number {
    const from = this.#last + 1;
    this.#last += count;
    return from;
  }

  waiting(): Promise<Record<string, number[]>> {
    return this.tab.evaluate(() => window.outbox.waiting());
  }

  /** Resolves once nothing waits for its server any more, or nothing has arrived for the longest time. */
  async drained(): Promise<void> {
    const isOver = async (): Promise<boolean> => {
      const waiting = await this.waiting().catch(() => null);
      return waiting !== null && !HAS_NOT_ENDED.some((state) => state in waiting);
    };
    let arrived = -1;
    while (this.server.all.length > arrived) {
      arrived = this.server.all.length;
      const inTime = until('all has arrived', isOver, HEALED).then(
        () => true,
        () => false,
      );
      if (await inTime) return;
    }
  }

  /** Nothing is wrong from here on: says what came of all that was acknowledged. It may wait for a decision. */
  async verdict(rounds: number, figures: readonly Figure[] = []): Promise<Result> {
    this.server.heal();
    await this.drained();
    const { review = [], conflict = [] } = await this.waiting();
    const performed = this.server.all;
    const [there, distinct] = [new Set([...performed, ...review, ...conflict]), new Set(performed)];
    return {
      rounds,
      lost: [...this.#acknowledged].filter((number) => !there.has(number)).length,
      duplicated: performed.length - distinct.size + this.server.mixed,
      hung: this.#hung,
      figures: [
        { name: 'acknowledged', value: this.#acknowledged.size, atLeast: 1 },
        { name: 'out of their order', value: this.server.unordered, atMost: 0 },
        { name: 'attempts', value: this.server.attempted },
        ...figures,
      ],
    };
  }
}

/** What plays a row: `world` has a tab. Resolves to figures beside the usual ones. */
type Play = (world: World, bench: Bench, browser: MortalBrowser) => Promise<readonly Figure[] | void>;

/**
 * A row that queues writes in a browser of its own. `userLifetimes` is false where workers of Firefox are to die of idleness
 * every few seconds.
 */
export function row({ userLifetimes = true, ...description }: Description, play: Play): Row {
  return {
    engines: ['chromium', 'firefox'],
    ...description,
    run: (bench) => runIn({ userLifetimes }, bench, play),
  };
}

interface Description extends Omit<Row, 'run'> {
  readonly userLifetimes?: boolean;
}

/** Plays it in a browser of its own. */
export async function runIn(
  options: Parameters<typeof openMortal>[1],
  bench: Bench,
  play: Play,
): Promise<Result> {
  const server = new FixtureServer('127.0.0.1');
  await server.up();
  const browser = await openMortal(bench, options);
  try {
    const world = new World(server, browser);
    await world.open();
    const figures = await play(world, bench, browser);
    return await world.verdict(bench.rounds, figures ?? []);
  } finally {
    await browser.end();
    await server.down();
  }
}
