import type { Frame, Page } from '@playwright/test';
import type { FixtureServer } from '../server/fixture-server.ts';
import { countsOf, type Told } from './checker.ts';
import { Contract, LAG, type Tally } from './contract.ts';
import { Effects } from './effects.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { servePoliced, WAYS, type Way } from './workerless.ts';

/**
 * There is no service worker: in a sandboxed frame, over plain http, where the script is missing, where a policy
 * forbids workers. The page is its own host and keeps the contract. A round is each of these ways once.
 */
export const noWorker: Row = {
  number: 28,
  name: 'no-worker',
  rounds: { short: 1, long: 20 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const effects = new Effects(stage.server);
  await servePoliced(stage.server);
  const tally: Tally = { told: [], wanted: new Map(), news: [], hosted: 0, held: 0 };
  for (let round = 0; round < rounds; round += 1) {
    for (const way of WAYS) {
      const tab = await stage.context.newPage();
      const place = await openWay(way, tab, stage.server);
      await new Contract(stage, place, way, round, tally).play(random);
      await tab.close();
    }
  }
  return resultOf(rounds, effects.counts, tally);
}

async function openWay(way: Way, tab: Page, server: FixtureServer): Promise<Page | Frame> {
  const place = await way.open(tab, server);
  await place.waitForFunction(() => 'loops' in window);
  if (!(await place.evaluate(way.holds))) throw new Error(`This is no page of the kind '${way.name}'`);
  return place;
}

function resultOf(rounds: number, effects: ReadonlyMap<string, number>, tally: Tally): Result {
  const { told, wanted, news, hosted, held } = tally;
  const isWanted = ({ key, ending }: Told): boolean => wanted.get(key) === ending;
  const { lost, duplicated, hung } = countsOf(effects, told, isWanted);
  const untold = news.filter((each) => each === Infinity).length;
  return {
    rounds,
    lost: lost + untold,
    duplicated,
    hung: hung + held,
    figures: [
      { name: 'pages that are their own host', value: hosted, atLeast: rounds * WAYS.length },
      { name: 'calls', value: told.length },
      { name: 'failures as they must be', value: told.filter(isWanted).length, atLeast: wanted.size },
      { name: 'pieces of news', value: news.length },
      { name: 'slowest', value: Math.max(...news), unit: 'ms', atMost: LAG },
    ],
  };
}
