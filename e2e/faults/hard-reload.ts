import type { Page } from '@playwright/test';
import type { PlannedCall } from '../page/calls.ts';
import { countsOf, type Told } from './checker.ts';
import { Effects } from './effects.ts';
import type { Bench, Result, Row } from './row.ts';
import { connect, Stage } from './stage.ts';

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];
const DEADLINE = 5_000;

/** After a reload without the cache no worker controls the page: it works all the same, loops included. */
export const hardReload: Row = {
  number: 21,
  name: 'hard-reload',
  rounds: { short: 3, long: 100 },
  slow: false,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  const page = await stage.openTab();
  const calls: Told[] = [];
  let [uncontrolled, ticked, slowest] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await reload(page);
    if (await page.evaluate(() => navigator.serviceWorker.controller === null)) uncontrolled += 1;
    const began = performance.now();
    await connect(page);
    calls.push(...(await page.evaluate((plan) => window.calls.makeCalls(plan), planned(round))));
    if (await page.evaluate((deadline) => window.loops.hearsTick('/etag', deadline), DEADLINE)) ticked += 1;
    slowest = Math.max(slowest, performance.now() - began);
  }
  const counts = countsOf(effects.counts, calls);
  return {
    rounds,
    ...counts,
    figures: [
      { name: 'without a controller', value: uncontrolled, atLeast: rounds },
      { name: 'calls', value: calls.length, atLeast: rounds * METHODS.length },
      { name: 'polls that ticked', value: ticked, atLeast: rounds },
      { name: 'slowest round', value: slowest, unit: 'ms' },
    ],
  };
}

async function reload(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const loaded = page.waitForEvent('load');
  await devtools.send('Page.reload', { ignoreCache: true });
  await loaded;
  await devtools.detach();
}

function planned(round: number): PlannedCall[] {
  return METHODS.map((method) => {
    const key = `${round}.${method}`;
    return { key, method, url: `/effects?call=${key}&item=${key}`, after: 0, deadline: DEADLINE };
  });
}
