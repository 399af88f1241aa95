import type { Page } from '@playwright/test';
import { sendJson } from '../server/exchange.ts';
import { lostAndAgain, NumberedFeed } from './numbered-feed.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** Answers that are stored, and how many of them are damaged in a round. */
const STORED = 12;
const DAMAGED = 5;

/** Rows of an answer: enough that a change of it is stored as a byte delta. */
const ROWS = 200;

/** Milliseconds within which all is heard again. */
const PATIENCE = 10_000;

/** Records in the database are damaged. A round is some damage, and a worker that begins with it. */
export const corruptRecord: Row = {
  number: 19,
  name: 'corrupt-record',
  rounds: { short: 2, long: 100 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const changes = new NumberedFeed();
  const documents = new Documents(stage);
  stage.server.on('GET /numbers', (exchange) => changes.answer(exchange));
  const tab = await stage.openTab();
  await follow(tab);
  const stops = await WorkerStops.through(tab);
  const counts = { wrong: 0, gone: 0, unserved: 0, hung: 0, silent: 0, damaged: 0, kept: 0 };
  for (let round = 0; round < rounds; round += 1) {
    // The second time, a byte delta is stored after the snapshot.
    for (let time = 0; time < 2; time += 1) {
      documents.version += 1;
      const { right } = await asked(tab, documents.version);
      counts.gone += STORED - right;
      await tab.evaluate(() => Object(window).settled());
    }
    changes.make();
    const names = Array.from({ length: DAMAGED }, () => random.between(0, STORED));
    await stops.stop();
    counts.damaged += await damage(
      tab,
      names,
      Array.from({ length: DAMAGED + 2 }, () => random.next()),
    );
    await stage.server.down();
    const served = await asked(tab, documents.version);
    await stage.server.up();
    counts.wrong += served.wrong;
    counts.hung += served.hung;
    counts.unserved += Math.max(0, STORED - new Set(names).size - served.right);
    counts.kept += served.right;
    const isHeard = async (): Promise<boolean> => (await heardBy(tab)).numbers.at(-1) === changes.last;
    await until('the change is heard', isHeard, PATIENCE * 2).catch(() => (counts.silent += 1));
  }
  const { numbers, errors } = await heardBy(tab);
  for (const error of new Set(errors)) console.error(error);
  return {
    rounds,
    lost: counts.gone + counts.silent + lostAndAgain(numbers, changes.last).lost,
    duplicated: 0,
    hung: counts.hung,
    figures: [
      { name: 'damaged', value: counts.damaged, atLeast: rounds },
      { name: 'wrong answers', value: counts.wrong, atMost: 0 },
      { name: 'undamaged answers not served', value: counts.unserved, atMost: 0 },
      { name: 'served from what was stored', value: counts.kept },
    ],
  };
}

/** Lists of which a few rows change from version to version. */
class Documents {
  version = 0;

  constructor({ server }: Stage) {
    server.on('GET /document', (exchange) => {
      const name = exchange.url.searchParams.get('name');
      const rows = Array.from({ length: ROWS }, (_, id) => ({ id, text: `row ${id} of document ${name}` }));
      sendJson(exchange, { name, version: this.version, rows }, { 'Cache-Control': 'no-cache' });
    });
  }
}

interface Heard {
  readonly numbers: readonly number[];
  readonly errors: readonly string[];
}

async function follow(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const heard = { numbers: [] as number[], errors: [] as string[] };
    const connection = window.offstage.connect();
    const settled = async (): Promise<void> => void (await connection.inspect());
    const documents = new window.offstage.Resource({
      get: { method: 'GET', url: '/document{?name}', timeout: 5_000 },
    });
    Object.assign(window, { heard, settled, documents });
    const feed = new window.offstage.Resource({ numbers: { method: 'GET', url: '/numbers' } });
    feed.addListener('numbersSuccess', ({ response }) => heard.numbers.push(Number(Object(response).last)));
    const cursor = { from: { body: '/last' }, to: { query: 'since' }, initial: '0' };
    feed.longPoll('numbers', {}, { cursor });
  });
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

/** Asks for all documents: right is the whole of the newest version, and a failure is neither right nor wrong. */
function asked(tab: Page, version: number): Promise<{ right: number; wrong: number; hung: number }> {
  return tab.evaluate(
    async ([count = 0, newest = 0, rows = 0]) => {
      const { documents } = Object(window);
      const late = new Promise<'hung'>((resolve) => setTimeout(() => resolve('hung'), 8_000));
      const isRight = (
        name: number,
        body: { name: string; version: number; rows: { text: string }[] },
      ): boolean =>
        body.name === String(name) &&
        body.version === newest &&
        body.rows.length === rows &&
        body.rows.every(({ text }, id) => text === `row ${id} of document ${name}`);
      const endOf = (name: number): Promise<'right' | 'wrong' | 'failed' | 'hung'> => {
        const end = documents.result(documents.get({ name })).then(
          (body: never) => (isRight(name, body) ? 'right' : 'wrong'),
          () => 'failed',
        );
        return Promise.race([end, late]);
      };
      const ends = await Promise.all(Array.from({ length: count }, (_, name) => endOf(name)));
      const countOf = (wanted: string): number => ends.filter((end) => end === wanted).length;
      return { right: countOf('right'), wrong: countOf('wrong'), hung: countOf('hung') };
    },
    [STORED, version, ROWS],
  );
}

/** Damages the answers of these documents, and what is stored of the feed; resolves to how many records. */
function damage(tab: Page, names: readonly number[], chances: readonly number[]): Promise<number> {
  return tab.evaluate(async ([wanted, chance]) => window.damage.damageRecords(wanted, chance), [
    names.map((name) => `/document?name=${name}`),
    chances,
  ] as const);
}
