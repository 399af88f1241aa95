import { describe, expect, test } from 'vitest';
import { asksAt, effectOf } from './circuit-breaker.ts';
import type { Due, Probe } from './circuit-breaker.ts';

const [ONE, OTHER] = [{ loop: 1 }, { loop: 2 }];

/** A poll of 10 s that was due then. */
function due(since: number, failures = 3, period = 10_000): Due {
  return { period, failures, since };
}

describe('one loop that waits asks', () => {
  test.each([
    ['at once where none has asked', null, 100_000],
    ['at once where it has asked last itself', { loop: ONE, endedAt: 99_000 }, 100_000],
    ['its mean wait after another has', { loop: OTHER, endedAt: 95_000 }, 105_000],
    ['not while another is out', { loop: OTHER, endedAt: null }, Infinity],
  ])('%s', (_when, probe, expected) => {
    expect(asksAt(probe, new Map([[ONE, due(100_000)]]), ONE)).toBe(expected);
  });

  test.each([
    [3, 105_000],
    [4, 110_000],
    [5, 120_000],
    [9, 120_000],
  ])('the later after another the more often it has failed: %i times', (failures, expected) => {
    const waiting = new Map([[ONE, due(100_000, failures)]]);
    expect(asksAt({ loop: OTHER, endedAt: 95_000 }, waiting, ONE)).toBe(expected);
  });
});

describe('of two that wait', () => {
  const PROBE: Probe = { loop: ONE, endedAt: 95_000 };

  test.each([
    ['the one that has been due for longer asks', due(100_000), due(99_000), [Infinity, 105_000]],
    ['the one that came first, where both have been due since then', due(9), due(9), [105_000, Infinity]],
    ['as soon as the quicker would', due(99_000), due(100_000, 3, 2_000), [97_000, Infinity]],
    ['as soon as one would that has failed less', due(99_000, 9), due(100_000, 3), [105_000, Infinity]],
  ])('%s', (_which, one, other, expected) => {
    const waiting = new Map([
      [ONE, one],
      [OTHER, other],
    ]);
    expect([ONE, OTHER].map((loop) => asksAt(PROBE, waiting, loop))).toEqual(expected);
  });

  test('the first asks at once where none has asked', () => {
    const waiting = new Map([
      [ONE, due(100_000)],
      [OTHER, due(101_000)],
    ]);
    expect([ONE, OTHER].map((loop) => asksAt(null, waiting, loop))).toEqual([100_000, Infinity]);
  });
});

test.each([
  ['reachable', 'opens'],
  ['unreachable', 'closes'],
  ['failing', 'closes'],
  ['silent', 'closes'],
  [null, 'none'],
] as const)('an outcome that says %s %s the gate', (sign, effect) => {
  expect(effectOf(sign)).toBe(effect);
});
