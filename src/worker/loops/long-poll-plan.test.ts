import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, refused, TIMED_OUT } from '../outcome.fixture.ts';
import { LONG_POLL_PERIOD, planLongPoll } from './long-poll-plan.ts';
import { FRESH } from './plan.ts';
import type { Plan, Progress } from './plan.ts';

const ASKED = 1_000_000;
const HELD = 25_000;
const CUT_OFF: Progress = { failures: 3, cutOff: true, immediate: 0 };

/** What follows from a request that took `took` milliseconds. */
function plan(outcome: Outcome, took: number = HELD, progress: Progress = FRESH, random = 0.5): Plan {
  const tick = { dueAt: ASKED, askedAt: ASKED, endedAt: ASKED + took, outcome };
  return planLongPoll(progress, tick, random);
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
    expect(plan(outcome, took, CUT_OFF)).toEqual(next);
  });
});

describe('a failure is told and backs off from a period of 20 s', () => {
  test.each<[string, Outcome, number]>([
    ['a quick 408', refused(408), 999],
    ['a quick 504', refused(504), 0],
    ['503', refused(503), HELD],
    ['404', refused(404), HELD],
    ['protocol', failed('protocol'), HELD],
    ['a timeout of what was never sent', { ...TIMED_OUT, request: null }, 60_000],
  ])('%s', (_name, outcome, took) => {
    expect(plan(outcome, took)).toEqual({
      progress: { failures: 1, cutOff: false, immediate: 0 },
      dueAt: ASKED + took + LONG_POLL_PERIOD,
      tell: true,
    });
  });

  test('Retry-After is a floor', () => {
    const outcome = refused(503, [['retry-after', '300']]);
    expect(plan(outcome, HELD, FRESH, 0).dueAt).toBe(ASKED + HELD + 300_000);
  });
});

describe('a network that is gone is told once', () => {
  test.each<[string, Outcome]>([
    ['network', failed('network')],
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
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      20_000,
      20_000,
      20_000,
    ]);
  });

  test.each<[string, Outcome]>([
    ['news', answered()],
    ['nothing new', answered({ status: 204 })],
    ['time-outs of its own', TIMED_OUT],
  ])('is slowed down whatever it says: %s', (_name, outcome) => {
    expect(waits(30, 5, outcome).at(-1)).toBe(1_000);
  });

  test('is still told of', () => {
    expect(plan(answered(), 5, { ...FRESH, immediate: 40 }).tell).toBe(true);
  });

  test('an answer that took 100 ms is held, and the runaway is over with it', () => {
    expect(waits(100, 100).every((wait) => wait === 0)).toBe(true);
    const over = plan(answered(), 100, { ...FRESH, immediate: 40 });
    expect(over).toMatchObject({ progress: { immediate: 0 }, dueAt: ASKED + 100 });
  });

  test('a failure breaks the row', () => {
    expect(plan(refused(500), 5, { ...FRESH, immediate: 40 }).progress.immediate).toBe(0);
  });
});
