import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, failedWith, refused, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { FRESH } from './plan.ts';
import type { Plan, LoopProgress, Tick } from './plan.ts';
import { planPoll } from './planner.ts';

const INTERVAL = 10_000;
const DUE = 1_000_000;

/** A tick that was asked for on time and took `took` milliseconds. */
function tick(outcome: Outcome, took = 200): Tick {
  return { dueAt: DUE, askedAt: DUE, endedAt: DUE + took, outcome };
}

function plan(outcome: Outcome, progress: LoopProgress = FRESH, took = 200, random = 0.5): Plan {
  return planPoll(progress, INTERVAL, tick(outcome, took), random);
}

const DOWN: LoopProgress = { failures: 3, cutOff: false, immediate: 0 };
const CUT_OFF: LoopProgress = { failures: 3, cutOff: true, immediate: 0 };

describe('an answer is told, ends all failures and keeps the grid', () => {
  test.each<[string, Outcome]>([
    ['200', answered()],
    ['204', answered({ status: 204 })],
    ['304', answered({ confirmed: true, changed: false })],
    ['304 to validators of the page', answered({ status: 304, changed: false })],
    ['unchanged bytes', answered({ changed: false })],
  ])('%s', (_name, outcome) => {
    const next = { progress: FRESH, dueAt: DUE + INTERVAL, tell: true };
    expect(plan(outcome)).toEqual(next);
    expect(plan(outcome, DOWN)).toEqual(next);
    expect(plan(outcome, CUT_OFF)).toEqual(next);
  });
});

describe('a failure is told each time and backs off', () => {
  test.each<[string, Outcome]>([
    ['404', refused(404)],
    ['500', refused(500)],
    ['504', refused(504)],
    ['timeout', TIMED_OUT],
    ['parse', failedWith({ code: 'parse', message: '', status: 200, contentType: null })],
    ['blocked-url', failed('blocked-url')],
    ['protocol', failed('protocol')],
  ])('%s', (_name, outcome) => {
    expect(plan(outcome)).toEqual({
      progress: { failures: 1, cutOff: false, immediate: 0 },
      dueAt: DUE + 200 + 1_300,
      tell: true,
    });
    expect(plan(outcome, DOWN)).toEqual({
      progress: { failures: 4, cutOff: false, immediate: 0 },
      dueAt: DUE + 200 + 1.5 * INTERVAL,
      tell: true,
    });
    expect(plan(outcome, CUT_OFF)).toMatchObject({ progress: { cutOff: false }, tell: true });
  });
});

describe('a network that is gone is told once and then tried in silence', () => {
  test.each<[string, Outcome]>([
    ['network', failed('network')],
    ['offline', failed('offline')],
    ['the stored answer', answered({ stale: true, servedFrom: 'cache', age: 60 })],
  ])('%s', (_name, outcome) => {
    const progress = { failures: 1, cutOff: true, immediate: 0 };
    expect(plan(outcome)).toMatchObject({ progress, tell: true });
    expect(plan(outcome, DOWN)).toMatchObject({ progress: { failures: 4, cutOff: true }, tell: true });
    expect(plan(outcome, CUT_OFF)).toMatchObject({ progress: { failures: 4, cutOff: true }, tell: false });
  });
});

test('a request that the page ended is told and counts for nothing', () => {
  expect(plan(failed('aborted'), CUT_OFF)).toEqual({
    progress: CUT_OFF,
    dueAt: DUE + INTERVAL,
    tell: true,
  });
});

test.each([
  [9_999, INTERVAL],
  [10_000, 2 * INTERVAL],
  [10_001, 2 * INTERVAL],
  [34_000, 4 * INTERVAL],
])('a slow answer of %i ms skips ticks and shifts none', (took, expected) => {
  expect(plan(answered(), FRESH, took).dueAt).toBe(DUE + expected);
});

describe('Retry-After is a floor (invariant 12)', () => {
  test.each([
    ['in seconds', '60', 60_000],
    ['below the wait', '0', 300],
    ['that is short', '1', 1_000],
    ['over an hour', '7200', 3_600_000],
    ['that is not understood', 'soon', 300],
    ['as a date', new Date(1_060_000).toUTCString(), 59_800],
  ])('%s', (_name, value, wait) => {
    const outcome = refused(503, [['Retry-After', value]]);
    expect(plan(outcome, FRESH, 200, 0).dueAt).toBe(DUE + 200 + wait);
  });

  test('as a date, by the clock of the server', () => {
    const [now, then] = [500_000_000, 500_030_000].map((instant) => new Date(instant).toUTCString());
    const outcome = refused(503, [
      ['Retry-After', String(then)],
      ['Date', String(now)],
    ]);
    expect(plan(outcome, FRESH, 200, 0).dueAt).toBe(DUE + 200 + 30_000);
  });
});
