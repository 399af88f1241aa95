import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import type { Exchange } from '../server/exchange.ts';
import { lostAndAgain } from './numbered-feed.ts';
import type { Random } from './random.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';
import { WorkerStops } from './worker-stops.ts';

/** How a body is framed, and so how its receiver learns that it is cut short. */
const FRAMINGS = ['length', 'chunked', 'gzip and length', 'gzip and chunked'] as const;

/** How the connection ends: as if all had been sent, or with a reset. */
const ENDINGS = ['closed', 'reset'] as const;

/** Answers that are cut: those of two loops, of two feeds, of a URL that is stored and of one that is not. */
const PATHS = ['/list', '/lines', '/feed', '/log', '/stored', '/new'] as const;

/** Milliseconds: within these all of them are cut once, and heard again once the server is well. */
const PATIENCE = 20_000;

/** Every so many rounds the worker ends as well: the next one has only what is stored. */
const ROUNDS_OF_A_LIFE = 3;

interface Cut {
  readonly framing: (typeof FRAMINGS)[number];
  readonly ending: (typeof ENDINGS)[number];
  /** The share of the bytes that is sent, from 0 to 1. */
  readonly share: number;
}

/** The server cuts bodies short. A round is one such spell, in which every kind of request meets it. */
export const dropMidBody: Row = {
  number: 7,
  name: 'drop-mid-body',
  rounds: { short: 2, long: 100 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const server = new CuttingServer(stage, random);
  const tab = await stage.openTab();
  await tab.evaluate(() => window.wholeAnswers.follow());
  const stops = await WorkerStops.through(tab);
  let [silent, ended, hung] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    server.next();
    if (!(await hearsWhole(tab, server))) silent += 1;
    await tab.evaluate(() => window.wholeAnswers.callBoth());
    server.cut = cutOf(random, round);
    server.next();
    const isCut = async (): Promise<boolean> => {
      hung += await tab.evaluate(() => window.wholeAnswers.callBoth());
      return server.cuts.size === PATHS.length;
    };
    await until('all kinds are cut', isCut, PATIENCE).catch(() => {});
    if (round % ROUNDS_OF_A_LIFE === ROUNDS_OF_A_LIFE - 1 && (await stops.stop())) ended += 1;
    hung += await tab.evaluate(() => window.wholeAnswers.callBoth());
    server.cut = null;
  }
  server.next();
  if (!(await hearsWhole(tab, server))) silent += 1;
  const { partial, whole, fed } = await tab.evaluate(() => window.wholeAnswers.heard());
  for (const each of new Set(partial)) console.error(`A part was told: ${each}`);
  const counts = fed.map((numbers) => lostAndAgain(numbers, server.n));
  return {
    rounds,
    lost: silent + counts.reduce((sum, { lost }) => sum + lost, 0),
    duplicated: counts.reduce((sum, { again }) => sum + again, 0),
    hung,
    figures: [
      { name: 'partial answers told', value: partial.length, atMost: 0 },
      { name: 'bodies cut', value: server.all, atLeast: rounds * PATHS.length },
      { name: 'whole answers told', value: whole, atLeast: rounds },
      { name: 'ends of the worker', value: ended },
    ],
  };
}

/** True once the tab has heard the newest answer of each loop and feed; false where it does not in time. */
async function hearsWhole(tab: Page, server: CuttingServer): Promise<boolean> {
  const isHeard = async (): Promise<boolean> =>
    (await tab.evaluate(() => window.wholeAnswers.heard())).newest.every((n) => n === server.n);
  return until('whole answers are heard', isHeard, PATIENCE).then(
    () => true,
    () => false,
  );
}

function cutOf(random: Random, round: number): Cut {
  const framing = FRAMINGS[round % FRAMINGS.length] ?? 'length';
  return { framing, ending: random.one(ENDINGS), share: random.between(1, 99) / 100 };
}

/** Serves numbered answers. While `cut` is set it sends only a part of each. */
class CuttingServer {
  /** The number of the newest answer. */
  n = 0;
  /** Bodies cut so far. */
  all = 0;
  /** The paths whose answers were cut since `cut` was set. */
  readonly cuts = new Set<string>();
  readonly #random: Random;
  readonly #held = new Set<() => void>();
  #cut: Cut | null = null;

  constructor({ server }: Stage, random: Random) {
    this.#random = random;
    for (const path of PATHS) server.on(`GET ${path}`, (exchange) => this.#answer(exchange, path));
  }

  get cut(): Cut | null {
    return this.#cut;
  }

  set cut(cut: Cut | null) {
    this.#cut = cut;
    this.cuts.clear();
  }

  /** There is news: requests that the feeds hold are answered. */
  next(): void {
    this.n += 1;
    for (const go of this.#held) go();
    this.#held.clear();
  }

  #answer(exchange: Exchange, path: (typeof PATHS)[number]): void {
    const { url, response } = exchange;
    const isFeed = path === '/feed' || path === '/log';
    const since = Number(url.searchParams.get('since') ?? 0);
    const n = isFeed ? since + 1 : this.n;
    const tell = (): void => this.#send(exchange, path, n);
    if (!isFeed || since < this.n) return tell();
    this.#held.add(tell);
    response.on('close', () => this.#held.delete(tell));
  }

  #send({ response }: Exchange, path: string, n: number): void {
    // From far below to above the size from which the worker reads a body piece by piece.
    const count = this.#random.one([40, 4_000, 200_000]);
    const isText = path === '/lines' || path === '/log';
    const body = Buffer.from(isText ? linesOf(n, count) : JSON.stringify(listOf(n, count / 20)));
    const framing = this.#cut?.framing ?? 'length';
    const coded = framing.startsWith('gzip') ? gzipSync(body) : body;
    response.writeHead(200, {
      'Content-Type': isText ? 'text/plain' : 'application/json',
      'Cache-Control': 'no-cache',
      ETag: `"${n}.${count}"`,
      'X-Last': n,
      ...(framing.startsWith('gzip') && { 'Content-Encoding': 'gzip' }),
      ...(framing.endsWith('length') && { 'Content-Length': coded.byteLength }),
    });
    if (this.#cut === null) return void response.end(coded);
    const { share, ending } = this.#cut;
    const part = coded.subarray(0, Math.max(1, Math.floor(coded.byteLength * share)));
    response.write(part, () =>
      ending === 'reset' ? response.socket?.resetAndDestroy() : response.socket?.end(),
    );
    this.all += 1;
    this.cuts.add(path);
  }
}

/** Text says how long it is: what is left of it after a cut is as good a text as the whole. */
function linesOf(n: number, count: number): string {
  return `${n} ${count} ${textOf(n, count)}`;
}

function listOf(n: number, count: number): unknown {
  const rows = Array.from({ length: count }, (_, id) => ({ id, text: textOf(n * id, 8) }));
  return { n, count, rows };
}

/** So varied that a content coding does not make it short. */
function textOf(seed: number, length: number): string {
  let [text, state] = ['', seed + 1];
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, length);
}
