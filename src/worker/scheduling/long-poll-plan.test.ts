import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, failedWith, refused, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { planLongPoll } from './planner.ts';
import { FRESH } from './plan.ts';
import type { Plan, LoopProgress } from './plan.ts';

const ASKED = 1_000_000;

/** The mean of the waits after the first failure, and after the second. */
const [FIRST_TRY, SECOND_TRY] = [1_500, 6_000];

const SPREAD = 3_000;
const HELD = 25_000;
const NETWORK = failed('network');
const CUT_OFF: LoopProgress = { failures: 3, cutOff: true, immediate: 0 };

/** What follows from a request that took `took` milliseconds. */
function plan(outcome: Outcome, took: number = HELD, progress: LoopProgress = FRESH, random = 0.5): Plan {
  const tick = { dueAt: ASKED, askedAt: ASKED, endedAt: ASKED + took, outcome };
  return planLongPoll(progress, tick, random, SPREAD);
}

/** The waits after each of a number of equal answers in a row. */
function waits(count: number, took: number, outcome: Outcome = answered()): number[] {
  let progress = FRESH;
  return Array.from({ length: count }, () => {
    const next = plan(outcome, took, progress);
    ({ progress } = next);
    return next.dueAt - ASKED - took;
  });
}

test('news is told and asked for again at once', () => {
  const next = { progress: FRESH, dueAt: ASKED + HELD, tell: true };
  expect(plan(answered())).toEqual(next);
  expect(plan(answered(), HELD, CUT_OFF)).toEqual(next);
});

describe('nothing new is no event, and is asked for again at once', () => {
  test.each<[string, Outcome, number]>([
    ['204', answered({ status: 204 }), HELD],
    ['304 to validators of the cache', answered({ confirmed: true, changed: false }), HELD],
    ['304 to validators of the page', answered({ status: 304, changed: false }), HELD],
    ['the watchdog', TIMED_OUT, 60_000],
    ['the watchdog of a short timeout', TIMED_OUT, 500],
    ['a 408 of a held request', refused(408), 1_000],
    ['a 504 of a held request', refused(504), HELD],
  ])('%s', (_name, outcome, took) => {
    const next = { progress: FRESH, dueAt: ASKED + took, tell: false };
    expect(plan(outcome, took)).toEqual(next);
    const isStillTrue = outcome.kind === 'answered' && outcome.confirmed;
    expect(plan(outcome, took, CUT_OFF)).toEqual({ ...next, tell: isStillTrue });
  });
});

test('after a failure an answer that confirms what is stored is told: that all is well again is news', () => {
  const confirmed = answered({ confirmed: true, changed: false });
  expect(plan(confirmed, HELD, { failures: 1, cutOff: false, immediate: 0 }).tell).toBe(true);
  expect(plan(confirmed, HELD, { failures: 0, cutOff: false, immediate: 5 }).tell).toBe(false);
});

test('an answer that moves the place of its loop is no sign of a server that does not hold', () => {
  const tick = { dueAt: ASKED, askedAt: ASKED, endedAt: ASKED, outcome: answered(), advanced: true };
  const runaway = { failures: 0, cutOff: false, immediate: 40 };
  expect(planLongPoll(runaway, tick, 0.5, SPREAD)).toEqual({ progress: FRESH, dueAt: ASKED, tell: true });
  const idle = planLongPoll(runaway, { ...tick, advanced: false }, 0.5, SPREAD);
  expect(idle.progress.immediate).toBe(41);
});

describe('a failure is told and tried again quickly, then with a period of 20 s', () => {
  test.each<[string, Outcome, number]>([
    ['a quick 408', refused(408), 999],
    ['a quick 504', refused(504), 0],
    ['a quick 502', refused(502), 999],
    ['a quick 503', refused(503), 999],
    ['500', refused(500), HELD],
    ['404', refused(404), HELD],
    ['protocol', failed('protocol'), HELD],
    ['a timeout of what was never sent', { ...TIMED_OUT, request: null }, 60_000],
  ])('%s', (_name, outcome, took) => {
    expect(plan(outcome, took)).toEqual({
      progress: { failures: 1, cutOff: false, immediate: 0 },
      dueAt: ASKED + took + FIRST_TRY,
      tell: true,
    });
  });

  test('each time more slowly', () => {
    const after = [1, 2, 3, 4, 5, 6].map((failures) => {
      const next = plan(refused(500), 5, { ...FRESH, failures: failures - 1 });
      return next.dueAt - ASKED - 5;
    });
    expect(after).toEqual([FIRST_TRY, SECOND_TRY, 20_000, 30_000, 50_000, 50_000]);
  });

  test('Retry-After is a floor', () => {
    const outcome = refused(503, [['retry-after', '300']]);
    expect(plan(outcome, 5, FRESH, 0).dueAt).toBe(ASKED + 5 + 300_000);
  });
});

test('a storage that fails before the server is asked is tried again within 10 s, however often it has failed', () => {
  const unread: Outcome = { ...failedWith({ code: 'storage', message: 'unread' }), request: null };
  for (const failures of [0, 1, 9]) {
    const progress = { ...FRESH, failures };
    const dueAt = [0, 1].map((random) => plan(unread, 0, progress, random).dueAt);
    expect(dueAt).toEqual([2_000, 10_000].map((wait) => ASKED + wait));
    expect(plan(unread, 0, progress).progress.failures).toBe(Math.max(failures, 1));
  }
});

describe('a held request that is cut is told and spreads', () => {
  const cuts: [string, Outcome][] = [
    ['network', NETWORK],
    ['the stored answer', answered({ stale: true, servedFrom: 'cache' })],
    ['502', refused(502)],
    ['503', refused(503)],
  ];

  test.each(cuts)('%s', (_name, outcome) => {
    const dueAt = [0, 0.5, 1].map((random) => plan(outcome, 1_000, FRESH, random).dueAt);
    expect(dueAt).toEqual([0, 1_500, 3_000].map((wait) => ASKED + 1_000 + wait));
    expect(plan(outcome)).toMatchObject({ progress: { failures: 1, immediate: 0 }, tell: true });
  });

  test('or over as long as its page wished', () => {
    const tick = { dueAt: ASKED, askedAt: ASKED, endedAt: ASKED + HELD, outcome: NETWORK };
    expect(planLongPoll(FRESH, tick, 0.5, 30_000).dueAt).toBe(ASKED + HELD + 15_000);
  });

  test('Retry-After is a floor, and they spread on top of it', () => {
    const outcome = refused(503, [['retry-after', '300']]);
    const dueAt = [0, 0.5].map((random) => plan(outcome, HELD, FRESH, random).dueAt);
    expect(dueAt).toEqual([300_000, 301_500].map((wait) => ASKED + HELD + wait));
  });

  test.each(cuts)('but backs off when it was never held: %s', (_name, outcome) => {
    expect(plan(outcome, 999).dueAt).toBe(ASKED + 999 + FIRST_TRY);
    expect(plan(outcome, 999, FRESH, 0).dueAt).toBe(ASKED + 999 + 300);
  });

  test.each(cuts)('but backs off when it fails again, however long that takes: %s', (_name, outcome) => {
    const once: LoopProgress = { failures: 1, cutOff: true, immediate: 0 };
    expect(plan(outcome, HELD, once).dueAt).toBe(ASKED + HELD + SECOND_TRY);
  });
});

describe('a network that is gone is told once', () => {
  test.each<[string, Outcome]>([
    ['network', NETWORK],
    ['offline', failed('offline')],
    ['the stored answer', answered({ stale: true, servedFrom: 'cache' })],
  ])('%s', (_name, outcome) => {
    expect(plan(outcome)).toMatchObject({ progress: { failures: 1, cutOff: true }, tell: true });
    expect(plan(outcome, HELD, CUT_OFF)).toMatchObject({
      progress: { failures: 4, cutOff: true },
      tell: false,
    });
  });
});

test('a request that the page ended is told, counts for nothing and is asked again', () => {
  expect(plan(failed('aborted'), HELD, CUT_OFF)).toEqual({
    progress: CUT_OFF,
    dueAt: ASKED + HELD,
    tell: true,
  });
});

describe('a server that never holds the request', () => {
  test('is asked 30 times at once, then ever more slowly, at the slowest every period', () => {
    expect(waits(37, 99)).toEqual([
      ...Array.from({ length: 29 }, () => 0),
      500,
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      20_000,
      20_000,
    ]);
  });

  test.each<[string, Outcome]>([
    ['news', answered()],
    ['nothing new', answered({ status: 204 })],
    ['time-outs of its own', TIMED_OUT],
  ])('is slowed down whatever it says: %s', (_name, outcome) => {
    expect(waits(30, 5, outcome).at(-1)).toBe(500);
  });

  test('is still told of', () => {
    expect(plan(answered(), 5, { ...FRESH, immediate: 40 }).tell).toBe(true);
  });

  test('an answer that took 100 ms is held, and the runaway is over with it', () => {
    expect(waits(100, 100).every((wait) => wait === 0)).toBe(true);
    const over = plan(answered(), 100, { ...FRESH, immediate: 40 });
    expect(over).toMatchObject({ progress: { immediate: 0 }, dueAt: ASKED + 100 });
  });

  test('that once holds a request is asked at once from then on, however slow it had become', () => {
    const over = plan(answered({ status: 204 }), 25_000, { ...FRESH, immediate: 60 });
    expect(over.dueAt).toBe(ASKED + 25_000);
    expect(plan(answered({ status: 204 }), 5, over.progress).dueAt).toBe(ASKED + 5);
  });

  test('a failure breaks the row', () => {
    expect(plan(refused(500), 5, { ...FRESH, immediate: 40 }).progress.immediate).toBe(0);
  });
});
