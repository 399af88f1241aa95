import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterCut,
  afterFailure,
  afterRestart,
  afterReturn,
  furthest,
  isQuick,
  longestWait,
  meanWait,
  nextTick,
} from './back-off.ts';

const ALMOST_ONE = 1 - 2 ** -52;
const SECOND = 1_000;

describe('after failure n of a loop', () => {
  test.each([
    [5, 1, 300, 2_300],
    [5, 2, 2_000, 7_000],
    [5, 3, 2_500, 7_500],
    [5, 4, 2_500, 12_500],
    [5, 5, 2_500, 22_500],
    [60, 1, 300, 2_300],
    [60, 2, 2_000, 10_000],
    [60, 3, 30_000, 90_000],
    [60, 4, 30_000, 150_000],
    [60, 5, 30_000, 270_000],
    [60, 2_000, 30_000, 270_000],
    [600, 1, 300, 2_300],
    [600, 2, 2_000, 10_000],
    [600, 3, 300_000, 900_000],
    [1, 1, 300, 1_300],
    [1, 2, 500, 1_500],
    [0.1, 1, 300, 400],
    [0.1, 2, 50, 150],
  ])('with a period of %f s and n = %i: from %i to %i ms', (period, failures, least, most) => {
    const wait = (random: number): number => afterFailure(period * SECOND, failures, null, random);
    expect(wait(0)).toBe(least);
    expect(wait(0.5)).toBe((least + most) / 2);
    expect(wait(ALMOST_ONE)).toBeCloseTo(most, 6);
    expect(meanWait(period * SECOND, failures)).toBe((least + most) / 2);
  });

  test.each([
    ['is a floor', 60_000, 0, 60_000],
    ['has its jitter on top, half a period at most', 60_000, ALMOST_ONE, 65_000],
    ['that is short has as short a jitter: a date may call all back in one instant', 400, ALMOST_ONE, 2_400],
    ['below the wait changes nothing', 100, 0.5, 1_300],
    ['of zero changes nothing', 0, 0, 300],
  ])('Retry-After %s', (_name, floor, random, expected) => {
    expect(afterFailure(10 * SECOND, 1, floor, random)).toBeCloseTo(expected, 6);
  });

  test('the wait is never below the rule, never below Retry-After, and bounded (invariant 12)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 3_600_000 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.option(fc.integer({ min: 0, max: 3_600_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (period, failures, floor, random) => {
          const wait = afterFailure(period, failures, floor, random);
          const least = failures > 2 ? period / 2 : Math.min(300, period / 2);
          expect(wait).toBeGreaterThanOrEqual(Math.max(least, floor ?? 0));
          expect(wait).toBeLessThanOrEqual(Math.max(longestWait(period), (floor ?? 0) + period / 2));
          expect(wait).toBeLessThanOrEqual(furthest(period, 0));
        },
      ),
    );
  });

  test.each([
    [3, 1, [300, 1_500, 3_000]],
    [3, 2, [2_000, 6_000, 10_000]],
    [3, 3, [10_000, 20_000, 30_000]],
    [30, 1, [300, 15_000, 30_000]],
    [30, 2, [15_000, 30_000, 45_000]],
    [30, 3, [15_000, 30_000, 45_000]],
    [30, 5, [15_000, 50_000, 90_000]],
  ])(
    'a long-poll with a spread of %i s stays away, with n = %i, until the others have come',
    (spread, failures, expected) => {
      const wait = (random: number): number =>
        afterFailure(20 * SECOND, failures, null, random, spread * SECOND);
      expect([0, 0.5, 1].map(wait)).toEqual(expected);
      expect(wait(1)).toBeLessThanOrEqual(longestWait(20 * SECOND, spread * SECOND));
    },
  );

  test('a long-poll comes back spread after Retry-After, too', () => {
    const waits = [0, 0.5, 1].map((random) => afterFailure(20 * SECOND, 1, 5_000, random, 30 * SECOND));
    expect(waits).toEqual([5_000, 20_000, 35_000]);
  });

  test('two tries are quick', () => {
    expect([0, 1, 2, 3, 4].map(isQuick)).toEqual([true, true, true, false, false]);
  });
});

test.each([
  [100, 450],
  [10_000, 45_000],
])('with a period of %i ms no wait is longer than %i', (period, longest) => {
  expect(longestWait(period)).toBe(longest);
});

test('what is planned is no further away than the longest Retry-After and the longest wait or spread', () => {
  expect(afterCut(3_600_000, 3_600_000, ALMOST_ONE)).toBeLessThanOrEqual(furthest(20_000, 3_600_000));
  expect(furthest(20_000, 3_000)).toBe(3_600_000 + 90_000);
  expect(furthest(20_000, 3_600_000)).toBe(3_600_000 + 5_400_000);
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
    ['1 ms', 1, 2.5, 5],
    ['50 ms', 50, 125, 250],
    ['a bit less than a tenth of a period', 999, 2_497.5, 4_995],
    ['a bit more than a tenth of a period', 1_001, 2_500, 5_000],
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
