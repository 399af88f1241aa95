import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** Milliseconds: every tab polls. */
const PERIOD = 500;

/** Milliseconds that a tab may be without an answer once its first has come. */
const LONGEST_SILENCE = PERIOD + 2_000;

/** Milliseconds that a save is held, so that the update waits for it: in a long run, and in a short one. */
const HOLD = { long: 20_000, short: 4_000 };

/** Milliseconds that a tab has to hear its first answer: a drain waits for ten seconds, its successor for ten more. */
const PATIENCE = 30_000;

/** Where a tab stands in the end. */
interface Stand {
  readonly host: string | null;
  readonly instance: string;
  readonly heard: readonly number[];
}

/** A tab is opened while an update waits for a save of another one. A round is one update. */
export const openedInUpdate: Row = {
  number: 36,
  name: 'opened-in-update',
  rounds: { short: 2, long: 100 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const first = await stage.openTab();
  await poll(first);
  const longest = rounds > 20 ? HOLD.long : HOLD.short;
  const [elsewhere, silences, firsts]: [string[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const saving = save(first, round);
    await until('the save is under way', () => stage.server.journal.open('/hold').length > 0);
    await publish(stage, first, round);
    const applied = apply(first);
    const openedAt = Date.now();
    const tab = await openTab(stage);
    await sleep(Math.max(0, random.between(1_000, longest) - (Date.now() - openedAt)));
    stage.server.release(`save-${round}`, '"saved"');
    await Promise.all([saving, applied]);
    await until('the tab hears an answer', async () => (await standOf(tab)).heard.length > 0, PATIENCE);
    await sleep(LONGEST_SILENCE);
    const [one, other] = [await standOf(first), await standOf(tab)];
    for (const { host } of [one, other]) if (host !== 'service-worker') elsewhere.push(String(host));
    if (one.instance !== other.instance) elsewhere.push(other.instance);
    silences.push(longestSilence(other.heard));
    firsts.push((other.heard[0] ?? Infinity) - openedAt);
    await tab.close();
  }
  return {
    rounds,
    lost: elsewhere.length,
    duplicated: 0,
    hung: 0,
    figures: [
      { name: 'longest silence', value: Math.max(...silences), unit: 'ms', atMost: LONGEST_SILENCE },
      { name: 'latest first answer', value: Math.max(...firsts), unit: 'ms' },
    ],
  };
}

async function openTab(stage: Stage): Promise<Page> {
  const tab = await stage.context.newPage();
  await tab.goto('/');
  await poll(tab);
  return tab;
}

async function poll(tab: Page): Promise<void> {
  await tab.evaluate((interval) => window.loops.follow('/etag/news', 'poll', interval), PERIOD);
}

/** Resolves once the save has ended, whichever way: a drain waits for it for ten seconds. */
async function save(tab: Page, round: number): Promise<void> {
  await tab.evaluate(async (key) => {
    const photo = new window.offstage.Resource({ post: { method: 'POST', url: `/hold?key=save-${key}` } });
    await photo.result(photo.post({}, { a: 1 })).catch(() => {});
  }, round);
}

async function publish({ server }: Stage, tab: Page, round: number): Promise<void> {
  await until('the last one is activated', () =>
    tab.evaluate(async () => (await navigator.serviceWorker.ready).active?.state === 'activated'),
  );
  server.rewrite('/service-worker.js', (file) => `${file}\n// ${round}`);
  await tab.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
  });
  await until('the newer one waits', () => tab.evaluate(() => window.offstage.connect().update !== null));
}

/** Applies the update, as often as it takes: it gives up after twenty seconds. */
async function apply(tab: Page): Promise<void> {
  await tab.evaluate(async () => {
    const connection = window.offstage.connect();
    while (connection.update) await connection.update.apply().catch(() => {});
  });
}

async function standOf(tab: Page): Promise<Stand> {
  return tab.evaluate(async () => {
    const connection = window.offstage.connect();
    const { instance } = await connection.inspect();
    const heard = window.loops.FOLLOWED.flatMap((each) => each.heard.map(({ at }) => at));
    return { host: connection.host, instance, heard };
  });
}

function longestSilence(instants: readonly number[]): number {
  return Math.max(0, ...instants.slice(1).map((at, index) => at - (instants[index] ?? at)));
}
