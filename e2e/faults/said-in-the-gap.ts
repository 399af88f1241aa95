import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { sendJson } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage, UNTRUSTED } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

const TABS = 10;

/** So many of them have a call that the server holds: a browser has six connections to a host. */
const HOLDING = 3;

/** Milliseconds after a death within which a page says something. */
const SPREAD = 120;

/** Milliseconds after the greeting from which on what a page wants is what happens, and for which that is watched. */
const GRACE = 1_000;
const WATCH = 700;

/** After so many failures in a row the loop that looks for the network waits for seconds; the others wait for it. */
const FAILURES = 5;

/**
 * Pages stop a loop, abort a call, close a connection, see the network come back, and are shown or hidden: all between
 * the death of the worker and their greeting of the next, or as they are resumed, when they greet the same one again. A
 * round is what one tab says.
 */
export const saidInTheGap: Row = {
  number: 37,
  name: 'said-in-the-gap',
  rounds: { short: 10, long: 1_000 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

/** What is wrong a second after the greeting: `unheard` goes on that was ended, `missing` does not that was wanted. */
interface Tally {
  unheard: number;
  missing: number;
}

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const gap = new Gap(stage.server);
  const tabs = await Promise.all(Array.from({ length: TABS }, () => stage.openTab()));
  const [first] = tabs;
  if (!first) throw new Error('There is no tab to stop workers through');
  const stops = await WorkerStops.through(first);
  const elsewhere = `http://${UNTRUSTED}:${new URL(stage.server.url).port}`;
  await Promise.all(
    tabs.map((tab, nth) =>
      tab.evaluate(([name, origin]) => window.gap.begin(name, origin), [nameOf(nth), elsewhere] as const),
    ),
  );
  const tally: Tally = { unheard: 0, missing: 0 };
  let [played, deaths, isHidden] = [0, 0, false];
  while (played < rounds) {
    const way = random.one(['later', 'resumed'] as const);
    await gap.prepare(tabs);
    const said = tabs.map((tab) => say(tab, way, way === 'later' ? random.between(0, SPREAD) : 0));
    if (way === 'later') deaths += (await stops.stop()) ? 1 : 0;
    await Promise.all(said);
    isHidden = !isHidden;
    await sleep(GRACE);
    await gap.watch(tabs.length, isHidden, tally);
    played += tabs.length;
  }
  return {
    rounds: played,
    lost: tally.missing,
    duplicated: 0,
    hung: tally.unheard,
    figures: [{ name: 'deaths', value: deaths, atLeast: 1 }],
  };
}

function nameOf(tab: number): string {
  return `tab-${tab}`;
}

function say(tab: Page, way: 'later' | 'resumed', after: number): Promise<number> {
  return tab.evaluate(({ how, wait }) => window.gap.say(how, wait), { how: way, wait: after });
}

/** The server's side: which loop of which tab has asked since when, and the network that is lost and back. */
class Gap {
  readonly #server: FixtureServer;
  /** How often each URL was asked since the last look. */
  readonly #asked = new Map<string, number>();
  /** The tabs whose loop has asked since the network was back. */
  readonly #served = new Set<string>();
  #isCut = true;
  /** Requests in vain, of all tabs. */
  #failures = 0;

  constructor(server: FixtureServer) {
    this.#server = server;
    server.on('GET /gap', (exchange) => {
      this.#note(exchange.url);
      sendJson(exchange, {}, { 'Cache-Control': 'no-store' });
    });
    server.on('GET /cut-off', (exchange) => {
      this.#note(exchange.url);
      if (this.#isCut) {
        this.#failures += 1;
        exchange.request.socket.destroy();
        return;
      }
      this.#served.add(exchange.url.searchParams.get('tab') ?? '');
      sendJson(exchange, {}, { 'Cache-Control': 'no-store' });
    });
  }

  /** Begins what the round ends, and waits until all of it is under way and the network has failed for long enough. */
  async prepare(tabs: readonly Page[]): Promise<void> {
    this.#isCut = true;
    this.#server.journal.clear();
    this.#asked.clear();
    this.#served.clear();
    this.#failures = 0;
    await Promise.all(
      tabs.map((tab, nth) =>
        tab.evaluate(([name, holds]) => window.gap.beginRound(name, holds), [
          nameOf(nth),
          nth < HOLDING,
        ] as const),
      ),
    );
    const isUnderWay = (): boolean =>
      this.#failures >= FAILURES + TABS &&
      tabs.every((_, nth) => this.#isUnderWay(nameOf(nth), nth < HOLDING));
    await until('all is under way', isUnderWay, 60_000);
    this.#isCut = false;
  }

  /** Counts what happens that no page wants, and what does not that each wants. */
  async watch(tabs: number, isHidden: boolean, tally: Tally): Promise<void> {
    const names = Array.from({ length: tabs }, (_, nth) => nameOf(nth));
    const back = new Set(this.#served);
    this.#asked.clear();
    await sleep(WATCH);
    for (const name of names) {
      const ended = ['stopped', 'closed', ...(isHidden ? ['paused'] : [])].map((loop) =>
        this.#of(loop, name),
      );
      const wanted = ['kept', ...(isHidden ? [] : ['paused'])].map((loop) => this.#of(loop, name));
      tally.unheard += ended.filter((times) => times > 0).length + this.#held(name);
      tally.missing += wanted.filter((times) => times === 0).length + (back.has(name) ? 0 : 1);
    }
  }

  #isUnderWay(name: string, holds: boolean): boolean {
    const loops = ['kept', 'stopped', 'closed'].every((loop) => this.#of(loop, name) > 0);
    return loops && this.#held(name) === (holds ? 1 : 0);
  }

  #of(loop: string, name: string): number {
    return this.#times(`/gap?loop=${loop}&tab=${name}`);
  }

  #held(name: string): number {
    return this.#server.journal.open('/hold').filter(({ url }) => url === `/hold?key=${name}`).length;
  }

  #times(url: string): number {
    return this.#asked.get(url) ?? 0;
  }

  #note({ pathname, search }: URL): void {
    const url = pathname + search;
    this.#asked.set(url, this.#times(url) + 1);
  }
}
