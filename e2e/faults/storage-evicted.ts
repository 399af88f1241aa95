import type { Page } from '@playwright/test';
import type { Random } from './random.ts';
import type { Bench, Result, Row } from './row.ts';
import { connect, Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** Milliseconds: within these a tab is told, and polls again. */
const PATIENCE = 10_000;
const PERIOD = 500;

/** Answers that are stored in each round. */
const STORED = 10;

/** What the browser deletes: all of a site, its worker included, or its databases; while the worker runs or rests. */
const WHATS = ['all', 'indexeddb'] as const;

/** The browser deletes everything that is stored. A round is one deletion, and calls with and without a network. */
export const storageEvicted: Row = {
  number: 29,
  name: 'storage-evicted',
  rounds: { short: 2, long: 100 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const tab = await stage.openTab();
  await follow(tab);
  const stops = await WorkerStops.through(tab);
  const counts = { untold: 0, empty: 0, lost: 0, hung: 0, silent: 0, rested: 0 };
  for (let round = 0; round < rounds; round += 1) {
    counts.lost += STORED - (await answered(tab, round));
    await until('all is stored', async () => (await stored(tab)) >= STORED, PATIENCE);
    const before = await heardBy(tab);
    const what = WHATS[round % WHATS.length] ?? 'all';
    if (random.chance(0.5) && (await stops.stop())) counts.rested += 1;
    await evict(tab, what);
    await stage.server.down();
    const { empty, hung } = await askedOffline(tab, round);
    counts.empty += empty;
    counts.hung += hung;
    await stage.server.up();
    const isTold = async (): Promise<boolean> => (await heardBy(tab)).told > before.told;
    await until('it is told', isTold, PATIENCE).catch(() => {
      counts.untold += 1;
      console.error(`Nobody heard that the browser deleted '${what}' in round ${round}`);
    });
    const { ticks } = await heardBy(tab);
    const isNews = async (): Promise<boolean> => (await heardBy(tab)).ticks > ticks;
    await until('the poll is heard', isNews, PATIENCE * 2).catch(() => (counts.silent += 1));
    if (what === 'all') await comeBack(tab, random);
  }
  return {
    rounds,
    lost: counts.lost + counts.silent,
    duplicated: 0,
    hung: counts.hung,
    figures: [
      { name: 'deletions nobody heard of', value: counts.untold, atMost: 0 },
      { name: 'empty answers in place of what was deleted', value: counts.empty, atMost: 0 },
      { name: 'while the worker was stopped', value: counts.rested },
    ],
  };
}

/** The tab is loaded again, as a user does: it registers its worker anew. */
async function comeBack(tab: Page, random: Random): Promise<void> {
  if (random.chance(0.5)) return;
  await tab.reload();
  await connect(tab);
  await follow(tab);
}

interface Heard {
  readonly ticks: number;
  /** How often the page was told that what was stored is gone. */
  readonly told: number;
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate((interval) => {
    const heard = { ticks: 0, told: 0 };
    const source = new window.offstage.Resource({
      get: { method: 'GET', url: '/photo/{key}', timeout: 5_000 },
      news: { method: 'GET', url: '/etag/news' },
    });
    Object.assign(window, { heard, source });
    source.addListener('newsSuccess', (event) => (heard.ticks += event.servedFrom === 'network' ? 1 : 0));
    window.offstage.connect().addEventListener('storage', () => (heard.told += 1));
    source.poll('news', {}, { interval });
  }, PERIOD);
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

/** Calls that are answered and then stored; resolves to how many. */
function answered(tab: Page, round: number): Promise<number> {
  return tab.evaluate(
    async ([count = 0, nth = 0]) => {
      const { source } = Object(window);
      const keys = Array.from({ length: count }, (_, index) => `${nth}.${index}`);
      const results = keys.map((key) => source.result(source.get({ key })));
      return (await Promise.allSettled(results)).filter(({ status }) => status === 'fulfilled').length;
    },
    [STORED, round],
  );
}

async function stored(tab: Page): Promise<number> {
  return tab.evaluate(async () => (await window.offstage.connect().inspect()).cache.entries ?? 0);
}

/** Asks for what was stored; a failure that says why is as it must be. */
function askedOffline(tab: Page, round: number): Promise<{ empty: number; hung: number }> {
  return tab.evaluate(
    async ([count = 0, nth = 0]) => {
      const { source } = Object(window);
      const keys = Array.from({ length: count }, (_, index) => `${nth}.${index}`);
      const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), 8_000));
      const endOf = async (key: string): Promise<'late' | 'empty' | 'fine'> => {
        const end = source.result(source.get({ key })).then(
          ({ url }: { url?: unknown }) => (url === `/photo/${key}` ? 'fine' : 'empty'),
          ({ code }: { code?: unknown }) => (typeof code === 'string' ? 'fine' : 'empty'),
        );
        return Promise.race([end, late]);
      };
      const ends = await Promise.all(keys.map(endOf));
      const countOf = (wanted: string): number => ends.filter((end) => end === wanted).length;
      return { empty: countOf('empty'), hung: countOf('late') };
    },
    [STORED, round],
  );
}

async function evict(tab: Page, storageTypes: string): Promise<void> {
  const devtools = await tab.context().newCDPSession(tab);
  const { origin } = new URL(tab.url());
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes });
  await devtools.detach();
}
