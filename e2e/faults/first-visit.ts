import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from '@playwright/test';
import type { FixtureServer } from '../server/fixture-server.ts';
import { countsOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import { makeCalls, plannedCalls } from './planned-calls.ts';
import type { Random } from './random.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** What becomes of the worker of a first visit. */
const FATES = ['slow', 'fails', 'replaced', 'dies', 'prompt'] as const;

type Fate = (typeof FATES)[number];

const CALLS = 12;

/** Milliseconds: the visitor's page polls. */
const PERIOD = 300;

/** Milliseconds within which a worker that comes has taken over, and a loop is heard in it. */
const PATIENCE = 15_000;

/** Pages are visited for the first time, by calls of all methods and a poll, while their workers come in all ways. */
export const firstVisit: Row = {
  number: 44,
  name: 'first-visit',
  rounds: { short: 5, long: 500 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const calls: Told[] = [];
  const [waits, lostLoops, elsewhere]: [number[], string[], string[]] = [[], [], []];
  let early = 0;
  for (let round = 0; round < rounds; round += 1) {
    const fate = FATES[round % FATES.length] ?? 'prompt';
    publish(stage.server, fate, random);
    const context = await newVisitor(stage);
    const page = await context.newPage();
    await page.goto('/');
    const openedAt = Date.now();
    const making = makeCalls(page, plannedCalls(random, CALLS, `${round}`));
    await page.evaluate((interval) => window.loops.follow('/etag/first', 'poll', interval), PERIOD);
    const killing = fate === 'dies' ? dieAtOnce(page) : null;
    await until('the first tick is heard', async () => (await heard(page)) > 0, PATIENCE);
    if (await page.evaluate(() => window.offstage.connect().host === null)) early += 1;
    waits.push(Date.now() - openedAt);
    calls.push(...(await making));
    await killing;
    await page.evaluate(() => window.offstage.connect().ready);
    calls.push(...(await makeCalls(page, plannedCalls(random, CALLS, `${round}.late`))));
    const before = await heard(page);
    const goesOn = until('the poll goes on', async () => (await heard(page)) > before + 1, PATIENCE);
    await goesOn.catch(() => lostLoops.push(`${round} ${fate}`));
    const wanted = fate === 'fails' ? 'page' : 'service-worker';
    // A worker that took more than three seconds takes over when it is active.
    const arrives = until(
      `the engine is in the ${wanted}`,
      async () => (await hostOf(page)) === wanted,
      PATIENCE,
    );
    await arrives.catch(() => elsewhere.push(`${round} ${fate}`));
    await context.close();
  }
  const counts = countsOf(effects.counts, calls);
  return {
    rounds,
    ...counts,
    figures: [
      { name: 'loops lost', value: lostLoops.length, atMost: 0 },
      { name: 'in another engine than they should be', value: elsewhere.length, atMost: 0 },
      { name: 'calls', value: calls.length, atLeast: rounds * 2 * CALLS },
      { name: 'answered before any engine', value: early, atLeast: rounds / 2 },
      { name: 'slowest first tick', value: Math.max(...waits), unit: 'ms' },
    ],
  };
}

/** A browser that has never been here. */
async function newVisitor({ context, server }: Stage): Promise<BrowserContext> {
  const browser = context.browser();
  if (!browser) throw new Error('The browser has ended');
  return browser.newContext({ baseURL: server.url });
}

function publish(server: FixtureServer, fate: Fate, random: Random): void {
  let fetched = 0;
  server.rewrite('/service-worker.js', async (script) => {
    fetched += 1;
    switch (fate) {
      case 'slow':
        await sleep(random.between(200, 4_000));
        return script;
      case 'fails':
        return `${script}\nthrow new Error('It does not install');`;
      case 'replaced':
        return `${script}\nself.skipWaiting();\n// ${fetched}`;
      default:
        return script;
    }
  });
}

/** Stops the worker as soon as it runs, and once more. */
async function dieAtOnce(page: Page): Promise<void> {
  const stops = await WorkerStops.through(page);
  for (let times = 0; times < 2; times += 1)
    await until('a worker runs', async () => (await stops.stop()) !== null);
}

function hostOf(page: Page): Promise<string | null> {
  return page.evaluate(() => window.offstage.connect().host);
}

function heard(page: Page): Promise<number> {
  return page.evaluate(() => window.loops.FOLLOWED.reduce((sum, each) => sum + each.heard.length, 0));
}
