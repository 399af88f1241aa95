import type { CDPSession, Page } from '@playwright/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { numberOf, sendJson, type Exchange } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Random } from './random.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** So many tabs end at about the same time. */
const TABS = 5;

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const ENDS = ['close', 'crash', 'freeze', 'navigate'] as const;

/** Bytes of a body: more than a connection holds at once, so that some of it is on its way. */
const BODY = 1_000_000;

/** Milliseconds that the server takes: a worker looks twice for its pages meanwhile. */
const TIME = 9_000;

/** Milliseconds from the call to the end of its tab, and those that an answer may take beyond the server's own time. */
const SPREAD = 400;
const PATIENCE = 10_000;

/**
 * The tab of a write closes, crashes, freezes, or goes into the back/forward cache while its request is out: it reaches
 * the server whole and once, and is answered. A round is one tab.
 */
export const tabClosesInWrite: Row = {
  number: 40,
  name: 'tab-closes-in-write',
  rounds: { short: 5, long: 200 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage), ['--disable-back-forward-cache']),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const writes = new Writes(stage.server);
  // It keeps the worker's browser alive, and nothing else.
  await stage.openTab();
  const frozen: Page[] = [];
  for (let played = 0; played < rounds; played += TABS) {
    const keys = Array.from({ length: Math.min(TABS, rounds - played) }, (_, nth) => `write-${played + nth}`);
    await Promise.all(keys.map((key) => endDuring(stage, key, random, frozen)));
    await until('all is answered', () => keys.every((key) => writes.isOver(key)), TIME + PATIENCE).catch(
      () => {},
    );
    for (const tab of frozen.splice(0)) await tab.close();
    stage.server.journal.clear();
  }
  return { rounds, ...writes.verdict(rounds), hung: 0, figures: [] };
}

/** Opens a tab that writes, and ends it while the worker has its call. */
async function endDuring(stage: Stage, key: string, random: Random, frozen: Page[]): Promise<void> {
  const [method, way, after] = [random.one(METHODS), random.one(ENDS), random.between(0, SPREAD)];
  const tab = await stage.openTab();
  await tab.evaluate(
    async (call) => {
      const { connect, Resource } = window.offstage;
      const write = new Resource({ write: { method: call.verb, url: call.url, timeout: 60_000 } });
      write.write({}, 'x'.repeat(call.size));
      const { calls } = await connect().inspect();
      if (calls.length === 0) throw new Error('The worker does not have the call');
    },
    { verb: method, url: `/writes?key=${key}&ms=${TIME}`, size: BODY },
  );
  await sleep(after);
  await end(tab, way, frozen);
}

async function end(tab: Page, way: (typeof ENDS)[number], frozen: Page[]): Promise<void> {
  if (way === 'close') return tab.close();
  if (way === 'navigate') return void (await tab.goto('/bare.html'));
  const devtools = await tab.context().newCDPSession(tab);
  if (way === 'crash') return crash(tab, devtools);
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  frozen.push(tab);
}

async function crash(tab: Page, devtools: CDPSession): Promise<void> {
  const crashed = tab.waitForEvent('crash');
  // A page that is asked to crash does not answer.
  devtools.send('Page.crash').catch(() => {});
  await crashed;
  await tab.close();
}

/** What came of each write at the server: how often it arrived, how often whole, and how often it was answered. */
class Writes {
  readonly #arrived = new Map<string, number>();
  readonly #whole = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(server: FixtureServer) {
    for (const method of METHODS) server.on(`${method} /writes`, (exchange) => this.#take(exchange));
  }

  isOver(key: string): boolean {
    return this.#answered.has(key);
  }

  verdict(rounds: number): Pick<Result, 'lost' | 'duplicated'> {
    const whole = [...this.#whole].filter((key) => this.#answered.has(key)).length;
    return {
      lost: rounds - whole,
      duplicated: [...this.#arrived.values()].filter((times) => times > 1).length,
    };
  }

  async #take(exchange: Exchange): Promise<void> {
    const key = exchange.url.searchParams.get('key') ?? '';
    this.#arrived.set(key, (this.#arrived.get(key) ?? 0) + 1);
    if (exchange.body.length === BODY) this.#whole.add(key);
    exchange.response.on('close', () => {
      if (exchange.response.writableFinished) this.#answered.add(key);
    });
    await sleep(numberOf(exchange, 'ms', 0));
    sendJson(exchange, {}, { 'Cache-Control': 'no-store' });
  }
}
