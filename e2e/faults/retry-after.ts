import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { QUICK_TRIES } from '../../src/worker/contracts/rule.ts';
import { countsOf, type Told } from './checker.ts';
import { Refusals, type Refusal } from './refusals.ts';
import type { Random } from './random.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { WorkerStops } from './worker-stops.ts';

const [FIRST_TRY] = QUICK_TRIES;

const KINDS = ['poll', 'longPoll', 'GET', 'PUT', 'DELETE'] as const;
type Kind = (typeof KINDS)[number];

/** Refusals at a time. */
const WAVE = 30;

/** Milliseconds that a loop is given to hear its answer, and a call. */
const PATIENCE = 90_000;
const DEADLINE = 20_000;

/** Milliseconds that each waits at the least after a refusal that names no time. */
const OWN_WAIT = { poll: FIRST_TRY.least, longPoll: FIRST_TRY.least, call: 150 };

/** Milliseconds after which every refusal has been told, and before which no wait that it asks for is over. */
const TOLD = 1_000;
const SHORTEST = 2_000;

/** What happens while a wave waits; `resumed`: a page asks for the same of the worker that is started anew. */
const MODES = ['joined', 'stopped', 'resumed'] as const;
type Mode = (typeof MODES)[number];

/**
 * The server refuses with 503 and 429 and says in all forms when to ask again, or says nonsense: polls, long-polls and
 * calls that may be repeated ask again, and not before, though meanwhile another page comes to ask the same, the worker
 * is stopped, or both. A round is one refusal.
 */
export const retryAfter: Row = {
  number: 11,
  name: 'retry-after',
  rounds: { short: MODES.length * WAVE, long: 200 },
  slow: true,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

/** What asks, and how it is refused. */
interface Asking {
  readonly kind: Kind;
  readonly refusal: Refusal;
  readonly mode: Mode;
}

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const refusals = new Refusals(stage.server);
  const [page, other] = [await stage.openTab(), await stage.openTab()];
  const stops = await WorkerStops.through(page);
  const all: Asking[] = [];
  const told: Told[] = [];
  let [deaf, stopped] = [0, 0];
  while (all.length < rounds) {
    const mode = MODES[(all.length / WAVE) % MODES.length] ?? 'joined';
    const wave = waveOf(random, all.length, Math.min(WAVE, rounds - all.length), mode);
    all.push(...wave);
    const heard = [listen(page, wave, refusals)];
    const settled = call(page, wave, refusals);
    await sleep(random.between(TOLD, SHORTEST));
    if (mode !== 'joined' && (await stops.stop())) stopped += 1;
    if (mode !== 'stopped') heard.push(listen(other, wave, refusals));
    deaf += (await Promise.all(heard)).flat().filter((each) => !each).length;
    told.push(...(await settled));
  }
  const { lost, hung } = countsOf(refusals.answered, told, () => false);
  const early = (isIt: typeof isLoop, ...modes: readonly Mode[]): number =>
    all.filter((each) => isIt(each) && modes.includes(each.mode) && isEarly(each, refusals)).length;
  return {
    rounds: all.length,
    lost: lost + deaf,
    duplicated: 0,
    hung,
    figures: [
      { name: 'refused', value: refusals.count, atLeast: all.length },
      { name: 'stops', value: stopped },
      { name: 'loops too early', value: early(isLoop, 'joined'), atMost: 0 },
      { name: 'loops too early after a stop', value: early(isLoop, 'stopped'), atMost: 0 },
      {
        name: 'loops too early after a stop, another page asking',
        value: early(isLoop, 'resumed'),
        atMost: 0,
      },
      { name: 'calls too early', value: early(isCall, 'joined'), atMost: 0 },
      { name: 'calls too early after a stop', value: early(isCall, 'stopped', 'resumed'), atMost: 0 },
    ],
  };
}

function waveOf(random: Random, from: number, count: number, mode: Mode): Asking[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: KINDS[index % KINDS.length] ?? 'poll',
    mode,
    refusal: {
      key: String(from + index),
      status: random.one([503, 429]),
      form: random.one(['seconds', 'date', 'garbage'] as const),
      wait: random.between(SHORTEST / 1_000, 5),
    },
  }));
}

/** Whether each loop has heard its answer. */
function listen(page: Page, wave: readonly Asking[], refusals: Refusals): Promise<boolean[]> {
  const loops = wave.flatMap(({ kind, refusal }) =>
    kind === 'poll' || kind === 'longPoll' ? [[refusals.urlOf(refusal), kind] as const] : [],
  );
  return page.evaluate(
    ({ all, patience }) => Promise.all(all.map(([url, kind]) => window.loops.hearsTick(url, patience, kind))),
    { all: loops, patience: PATIENCE },
  );
}

function call(page: Page, wave: readonly Asking[], refusals: Refusals): Promise<Told[]> {
  const plan = wave.flatMap(({ kind, refusal }) => {
    if (isLoop({ kind })) return [];
    const { key } = refusal;
    return [{ key, method: kind, url: refusals.urlOf(refusal), after: 0, deadline: DEADLINE, retry: 2 }];
  });
  return page.evaluate((calls) => window.calls.makeCalls(calls), plan);
}

function isLoop({ kind }: Pick<Asking, 'kind'>): boolean {
  return kind === 'poll' || kind === 'longPoll';
}

function isCall(asking: Pick<Asking, 'kind'>): boolean {
  return !isLoop(asking);
}

function isEarly({ kind, refusal }: Asking, refusals: Refusals): boolean {
  const own = kind === 'poll' || kind === 'longPoll' ? OWN_WAIT[kind] : OWN_WAIT.call;
  return refusals.earlinessOf(refusal, own) > 0;
}
