import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { Inspection } from 'offstage';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';

/** Each app has one that says who is signed in, and one of their answers. */
const DATABASES = 4;

/** Milliseconds: every tab polls. */
const PERIOD = 200;

/** Milliseconds of a round, in which each app has to hear several answers. */
const ROUND = 1_000;

/** Two apps of one origin, a worker and a scope each, poll beside each other; a round is one clearing of the first. */
export const twoScopes: Row = {
  number: 39,
  name: 'two-scopes',
  rounds: { short: 2, long: 50 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

/** A tab of an app, and the scope of its worker. */
interface App {
  readonly page: Page;
  readonly scope: string;
}

async function run({ rounds }: Bench, stage: Stage): Promise<Result> {
  const [one, two] = [await openApp(stage, '/a/'), await openApp(stage, '/b/')];
  let [silent, cleared] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const from = Date.now();
    await call(two);
    await clear(one);
    if ((await inspect(two)).cache.entries === 0) cleared += 1;
    await sleep(ROUND);
    for (const app of [one, two]) if ((await ticksSince(app, from)) < 2) silent += 1;
  }
  const acting = await Promise.all([one, two].map(inspect));
  return {
    rounds,
    lost: silent + cleared,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'rounds in which an app heard nothing', value: silent, atMost: 0 },
      { name: 'in which it lost what the other cleared', value: cleared, atMost: 0 },
      { name: 'engines that act', value: acting.filter((each) => each.acting).length, atLeast: 2 },
      { name: 'databases', value: await databases(one), atLeast: DATABASES, atMost: DATABASES },
    ],
  };
}

async function openApp(stage: Stage, scope: string): Promise<App> {
  const page = await stage.context.newPage();
  await page.goto('/');
  await page.evaluate(
    async ([own, interval]) => {
      await window.offstage.connect({ scope: own }).ready;
      window.loops.follow(`/etag${own}news`, 'poll', interval);
    },
    [scope, PERIOD] as const,
  );
  return { page, scope };
}

async function call({ page }: App): Promise<void> {
  await page.evaluate(async () => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
    await photo.result(photo.get());
  });
}

async function clear({ page, scope }: App): Promise<void> {
  await page.evaluate((own) => window.offstage.connect({ scope: own }).cache.clear(), scope);
}

function inspect({ page, scope }: App): Promise<Inspection> {
  return page.evaluate((own) => window.offstage.connect({ scope: own }).inspect(), scope);
}

async function ticksSince({ page }: App, from: number): Promise<number> {
  return page.evaluate(
    (since) => window.loops.FOLLOWED.flatMap(({ heard }) => heard).filter(({ at }) => at >= since).length,
    from,
  );
}

/** Those of all scopes. */
async function databases({ page }: App): Promise<number> {
  return page.evaluate(async () => (await indexedDB.databases()).length);
}
