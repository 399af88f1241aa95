import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { send } from '../server/exchange.ts';
import { NumberedFeed } from './numbered-feed.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** Answers that are stored, and how many of them are damaged in a round. */
const STORED = 12;
const DAMAGED = 5;

/** Rows of an answer: enough that a change of one is stored as a byte delta. */
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
    await documents.renew(tab);
    const { right } = await asked(tab, documents.bodies);
    counts.gone += STORED - right;
    // A worker that is stopped before has stored the version before, and serves that.
    await documents.areStored(tab, () => true);
    changes.make();
    const names = Array.from({ length: DAMAGED }, () => random.between(0, STORED));
    await stops.stop();
    documents.areDown = true;
    counts.damaged += await damage(
      tab,
      names,
      Array.from({ length: DAMAGED + 2 }, () => random.next()),
    );
    // One that has seen no document yet, so that it is sent what is read.
    const newcomer = await stage.openTab();
    await prepare(newcomer);
    const served = await asked(newcomer, documents.bodies);
    await newcomer.close();
    documents.areDown = false;
    counts.wrong += served.wrong;
    counts.hung += served.hung;
    counts.unserved += Math.max(0, STORED - new Set(names).size - served.right);
    counts.kept += served.right;
    // An entry that was damaged before it was told is gone, of which a reset tells.
    const isHeard = async (): Promise<boolean> => {
      const newest = (await heardBy(tab)).numbers.at(-1);
      return newest === null || newest === changes.last;
    };
    await until('the change is heard', isHeard, PATIENCE * 2).catch(() => (counts.silent += 1));
  }
  const { numbers, errors } = await heardBy(tab);
  for (const error of new Set(errors)) console.error(error);
  return {
    rounds,
    lost: counts.gone + counts.silent + missedUntold(numbers),
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

/** Lists: of those of even names only the version changes, which is stored as a byte delta; of others, every row. */
class Documents {
  areDown = false;
  #version = 0;

  constructor({ server }: Stage) {
    server.on('GET /document', (exchange) => {
      const body = this.bodies[Number(exchange.url.searchParams.get('name'))] ?? '';
      if (this.areDown) exchange.response.destroy();
      else send(exchange, 200, body, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' });
    });
  }

  /** Has the page's loops bring two versions, of which the second is stored as changes. */
  async renew(tab: Page): Promise<void> {
    for (let time = 0; time < 2; time += 1) {
      this.#version += 1;
      await this.areStored(tab, isFollowed);
    }
  }

  /** Resolves once those documents are stored in their newest version. */
  async areStored(tab: Page, which: (name: number) => boolean): Promise<void> {
    const wanted = this.bodies.filter((_, name) => which(name)).map(digestOf);
    const isSo = (): Promise<boolean> =>
      tab.evaluate(async (digests) => {
        const stored = await window.damage.storedDigests();
        return digests.every((digest) => stored.includes(digest));
      }, wanted);
    await until('the documents are stored', isSo, PATIENCE * 2);
  }

  /** Those of the newest version, by their names. */
  get bodies(): string[] {
    return Array.from({ length: STORED }, (_, name) => {
      const change = isFollowed(name) ? '' : this.#version;
      const rows = Array.from({ length: ROWS }, (_row, id) => ({
        id,
        text: digestOf(`${name} ${id} ${change}`),
      }));
      return JSON.stringify({ name, version: this.#version, rows });
    });
  }
}

function isFollowed(name: number): boolean {
  return name % 2 === 0;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Heard {
  /** The numbers that the feed told; null for a reset, which says that some may be missing. */
  readonly numbers: readonly (number | null)[];
  readonly errors: readonly string[];
}

/** Gives the page something to ask for documents with. */
async function prepare(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const get = { method: 'GET', url: '/document{?name}', timeout: 5_000 } as const;
    Object.assign(window, { documents: new window.offstage.Resource({ get }) });
  });
}

async function follow(tab: Page): Promise<void> {
  await prepare(tab);
  const followed = Array.from({ length: STORED }, (_, name) => name).filter(isFollowed);
  await tab.evaluate((names) => {
    const heard = { numbers: [] as (number | null)[], errors: [] as string[] };
    Object.assign(window, { heard });
    for (const name of names) Object(window).documents.poll('get', { name }, { interval: 250 });
    const feed = new window.offstage.Resource({ numbers: { method: 'GET', url: '/numbers' } });
    feed.addListener('numbersSuccess', ({ response }) => heard.numbers.push(Number(Object(response).last)));
    feed.addListener('error', ({ error }) => heard.errors.push(String(error)));
    feed.addListener('numbersReset', () => heard.numbers.push(null));
    const cursor = { from: { body: '/last' }, to: { query: 'since' }, initial: '0' };
    feed.longPoll('numbers', {}, { cursor });
  }, followed);
}

function heardBy(tab: Page): Promise<Heard> {
  return tab.evaluate(() => Object(window).heard);
}

/** How many numbers were passed over though no reset said so: of a damaged entry, a page must be told. */
function missedUntold(numbers: readonly (number | null)[]): number {
  let [missed, newest, isTold] = [0, 0, false];
  for (const number of numbers) {
    if (number === null) isTold = true;
    else if (number > newest) {
      if (!isTold) missed += number - newest - 1;
      [newest, isTold] = [number, false];
    }
  }
  return missed;
}

/** Asks for all documents: right is the whole of the newest version, and a failure is neither right nor wrong. */
function asked(
  tab: Page,
  bodies: readonly string[],
): Promise<{ right: number; wrong: number; hung: number }> {
  return tab.evaluate(async (wanted) => {
    const { documents } = Object(window);
    const late = new Promise<'hung'>((resolve) => setTimeout(() => resolve('hung'), 8_000));
    const endOf = (name: number): Promise<'right' | 'wrong' | 'failed' | 'hung'> => {
      const end = documents.result(documents.get({ name })).then(
        (body: unknown) => (JSON.stringify(body) === wanted[name] ? 'right' : 'wrong'),
        () => 'failed',
      );
      return Promise.race([end, late]);
    };
    const ends = await Promise.all(wanted.map((_, name) => endOf(name)));
    const countOf = (end: string): number => ends.filter((each) => each === end).length;
    return { right: countOf('right'), wrong: countOf('wrong'), hung: countOf('hung') };
  }, bodies);
}

/** Damages the answers of these documents, and what is stored of the feed; resolves to how many records. */
function damage(tab: Page, names: readonly number[], chances: readonly number[]): Promise<number> {
  return tab.evaluate(async ([wanted, chance]) => window.damage.damageRecords(wanted, chance), [
    names.map((name) => `/document?name=${name}`),
    chances,
  ] as const);
}
