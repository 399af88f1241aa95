import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterCut, afterFailure, afterRestart, afterReturn, nextTick } from './schedule.ts';

const ALMOST_ONE = 1 - 2 ** -52;
const SECOND = 1_000;

describe('after failure n of a loop with period 1 s (design section 8)', () => {
  test.each([
    [1, 500, 1_000, 1_500],
    [2, 500, 1_500, 2_500],
    [3, 500, 2_500, 4_500],
    [4, 500, 2_500, 4_500],
    [50, 500, 2_500, 4_500],
    [2_000, 500, 2_500, 4_500],
  ])('n = %i: at least %i, on average %i, under %i', (failures, least, mean, most) => {
    expect(afterFailure(SECOND, failures, null, 0)).toBe(least);
    expect(afterFailure(SECOND, failures, null, 0.5)).toBe(mean);
    expect(afterFailure(SECOND, failures, null, ALMOST_ONE)).toBeCloseTo(most, 6);
  });

  test.each([
    ['is a floor', 60_000, 0, 60_000],
    ['has its jitter on top, of half a period', 60_000, ALMOST_ONE, 60_500],
    ['below the wait changes nothing', 100, 0.5, 1_000],
    ['just below the wait keeps its jitter', 999, 0.5, 1_249],
    ['of zero changes nothing', 0, 0, 500],
  ])('Retry-After %s', (_name, floor, random, expected) => {
    expect(afterFailure(SECOND, 1, floor, random)).toBeCloseTo(expected, 6);
  });

  test('the wait is never below half a period, never below Retry-After, and bounded (invariant 12)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 3_600_000 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.option(fc.integer({ min: 0, max: 3_600_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (period, failures, floor, random) => {
          const wait = afterFailure(period, failures, floor, random);
          expect(wait).toBeGreaterThanOrEqual(Math.max(period / 2, floor ?? 0));
          expect(wait).toBeLessThanOrEqual(Math.max(4.5 * period, (floor ?? 0) + period / 2));
        },
      ),
    );
  });
});

describe('the next tick of a grid of 1 s that starts at 10 s', () => {
  test.each([
    [10_000, 11_000],
    [10_001, 11_000],
    [10_999, 11_000],
    [11_000, 12_000],
    [11_001, 12_000],
    [14_500, 15_000],
    [9_000, 11_000],
  ])('is, when it is %i, at %i', (now, expected) => {
    expect(nextTick(10_000, SECOND, now)).toBe(expected);
  });

  test('is the first of the grid that is still to come', () => {
    const instant = fc.integer({ min: 0, max: 2 ** 42 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 100, max: 2 ** 31 }), instant, (start, interval, later) => {
        const now = start + later;
        const next = nextTick(start, interval, now);
        expect((next - start) % interval).toBe(0);
        expect(next).toBeGreaterThan(now);
        expect(next - interval).toBeLessThanOrEqual(now);
      }),
    );
  });
});

test.each([
  [0, 5_000],
  [0.5, 5_250],
  [ALMOST_ONE, 5_500],
])('when the network is back at 5 s, a loop of 1 s with random %f asks at %i', (random, expected) => {
  expect(afterReturn(SECOND, 5_000, random)).toBeCloseTo(expected, 6);
});

test.each([
  ['at once', null, 0, 0],
  ['in the middle of the spread', null, 0.5, 10_000],
  ['before the spread is over', null, ALMOST_ONE, 20_000],
  ['never below Retry-After', 60_000, 0, 60_000],
  ['spread on top of Retry-After', 60_000, 0.5, 70_000],
])('a request that was cut is sent again %s', (_name, floor, random, expected) => {
  expect(afterCut(20_000, floor, random)).toBeCloseTo(expected, 6);
});

describe('a worker that starts anew, with a loop of 10 s', () => {
  const NOW = 10_000 * SECOND;
  const askedAt = (dueAt: number): number[] =>
    [0, 0.5, ALMOST_ONE].map((random) => afterRestart(dueAt, 10 * SECOND, NOW, random));

  test.each([
    ['to come', 7 * SECOND],
    ['on time', 0],
  ])('leaves the due time as it was: %s', (_name, early) => {
    expect(askedAt(NOW + early)).toEqual([NOW + early, NOW + early, NOW + early]);
  });

  test.each([
    ['1 ms', 1, 5, 10],
    ['50 ms', 50, 250, 500],
    ['a bit less than a twentieth of a period', 499, 2_495, 4_990],
    ['a bit more than a twentieth of a period', 501, 2_500, 5_000],
    ['a period', 10 * SECOND, 2_500, 5_000],
    ['a period and 1 ms', 10 * SECOND + 1, 2_500, 5_000],
    ['an hour', 3_600 * SECOND, 2_500, 5_000],
  ])('spreads what is overdue by %s', (_name, late, middle, most) => {
    const [first, second, last] = askedAt(NOW - late);
    expect(first).toBe(NOW);
    expect(second).toBe(NOW + middle);
    expect(last).toBeCloseTo(NOW + most, 6);
  });
});
