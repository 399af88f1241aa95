import type { BrowserContext, Page, Worker } from '@playwright/test';
import type { Inspection } from 'offstage';
import type { Attack } from '../page/attacks.ts';
import type { Bench, Result, Row } from './row.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

/** Invariant 13: a page that is gone holds nothing after ten seconds. */
const FORGOTTEN = 12_000;

/** A page of the origin posts whatever it likes to the worker: nothing runs, and the others notice nothing. */
export const hostileMessages: Row = {
  number: 30,
  name: 'hostile-messages',
  rounds: { short: 1_000, long: 100_000 },
  slow: false,
  run: (bench) => Stage.use(bench, (stage) => run(bench, stage)),
};

async function run({ rounds, random }: Bench, stage: Stage): Promise<Result> {
  const { server, context } = stage;
  const victim = await stage.openTab();
  const held = await victim.evaluateHandle(() => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/hold?key={key}' } });
    const timeout = 3_600_000;
    photo.longPoll('get', { key: 'loop' }, { timeout });
    const call = photo.get({ key: 'call' }, null, { timeout });
    return { photo, result: window.witness.ending(photo.result(call)) };
  });
  await until('the call and the loop are under way', () => server.journal.open('/hold').length === 2);
  const before = await inspect(victim);
  const worker = workerOf(context);
  await worker.evaluate(watch);
  const attacker = await stage.openTab();
  const attack = await attacker.evaluate(([count, seed]) => window.attacks.attack(count, seed), [
    rounds,
    random.between(0, 2 ** 32),
  ] as const);
  const after = await inspect(victim);
  const trouble = await worker.evaluate(lookAround);
  server.release('call', '"kept"');
  const result = await held.evaluate((each) => each.result);
  const served = await held.evaluate(({ photo }) => {
    photo.map('get', 'GET', '/photo/1');
    return window.witness.ending(photo.result(photo.get()));
  });
  await attacker.close();
  const forgotten = await until(
    'the attacker is forgotten',
    async () => (await inspect(victim)).pages === 1,
    FORGOTTEN,
  ).then(
    () => 1,
    () => 0,
  );
  const answered = [result.response === 'kept', served.code === undefined].filter((each) => each).length;
  return {
    rounds,
    lost: 2 - answered,
    duplicated: server.journal.entries.length - 3,
    hung: 0,
    figures: [
      ...figuresOf(attack),
      ...effectsOf(before, after, trouble),
      { name: 'forgotten', value: forgotten, atLeast: 1 },
    ],
  };
}

function figuresOf({ posted, answered, slowest, refused, leaked }: Attack): Result['figures'] {
  return [
    { name: 'posted', value: posted },
    { name: 'honest greetings answered', value: answered, atLeast: Math.ceil(posted / 200) },
    { name: 'slowest of them', value: slowest, unit: 'ms' },
    { name: 'refused with a reason', value: refused, atLeast: Math.floor(posted / 10) },
    { name: 'leaked', value: leaked, atMost: 0 },
  ];
}

/** Beside the session of the attacker's page, its own and those that it made up, nothing has come or gone. */
function effectsOf(before: Inspection, after: Inspection, trouble: Trouble): Result['figures'] {
  const changed = [
    [before.instance, after.instance],
    [before.calls, after.calls],
    [before.loops, after.loops],
    [before.cache, after.cache],
  ] as const;
  return [
    { name: 'effects', value: changed.filter((each) => !same(each)).length, atMost: 0 },
    { name: 'sessions', value: after.pages, atMost: 1 + 16 },
    { name: 'canaries', value: trouble.canaries, atMost: 0 },
    { name: 'prototypes changed', value: trouble.changed, atMost: 0 },
    { name: 'errors in the worker', value: trouble.errors, atMost: 0 },
  ];
}

function same([one, other]: readonly [unknown, unknown]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function inspect(page: Page): Promise<Inspection> {
  return page.evaluate(() => window.offstage.connect().inspect());
}

function workerOf(context: BrowserContext): Worker {
  const worker = context.serviceWorkers().at(-1);
  if (!worker) throw new Error('There is no service worker');
  return worker;
}

interface Trouble {
  readonly canaries: number;
  readonly changed: number;
  readonly errors: number;
}

/** Runs in the worker: notes what every object inherits, and counts what goes wrong from here on. */
function watch(): void {
  const names = [
    'Object',
    'Array',
    'Function',
    'String',
    'Promise',
    'Map',
    'Set',
    'Error',
    'RegExp',
    'ArrayBuffer',
  ];
  const shapes = (): string[] =>
    names.map((name) => {
      const made: unknown = Reflect.get(globalThis, name);
      const prototype: unknown = Reflect.get(Object(made), 'prototype');
      return [made, prototype].map((each) => Reflect.ownKeys(Object(each)).map(String).join(' ')).join(' | ');
    });
  const before = shapes();
  let errors = 0;
  globalThis.addEventListener('error', () => (errors += 1));
  globalThis.addEventListener('unhandledrejection', () => (errors += 1));
  Object.assign(globalThis, {
    lookAround: () => ({
      canaries: Number(Reflect.get(globalThis, 'canary') ?? 0),
      changed: shapes().filter((shape, index) => shape !== before[index]).length,
      errors,
    }),
  });
}

/** Runs in the worker. */
function lookAround(): Trouble {
  const look: unknown = Reflect.get(globalThis, 'lookAround');
  if (typeof look !== 'function') throw new Error('The worker is not the one that was watched');
  return look();
}
