import { describe, expect, test } from 'vitest';
import { effectOf, mayProbe } from './probe.ts';

const [ONE, OTHER] = [{ loop: 1 }, { loop: 2 }];

describe('a loop that is due asks as the probe', () => {
  test.each([
    ['where there is none', null, 5_000, true],
    ['where it is the probe', { loop: ONE, period: 1_000, asking: false }, 5_000, true],
    ['where it is the probe and was cut', { loop: ONE, period: 1_000, asking: true }, 5_000, true],
    ['not where another one is', { loop: OTHER, period: 5_000, asking: false }, 5_000, false],
    ['not where a quicker one is', { loop: OTHER, period: 1_000, asking: false }, 5_000, false],
    ['where a slower one sleeps', { loop: OTHER, period: 5_001, asking: false }, 5_000, true],
    ['not where a slower one is out', { loop: OTHER, period: 5_001, asking: true }, 5_000, false],
  ])('%s', (_where, probe, period, expected) => {
    expect(mayProbe(probe, ONE, period)).toBe(expected);
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
