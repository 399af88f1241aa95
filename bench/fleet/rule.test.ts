import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/shared/outcome.ts';
import { answered, failed } from '../../src/worker/contracts/outcome.fixture.ts';
import { newcomer } from './agenda.ts';
import type { Client } from './agenda.ts';
import { OFFSTAGE } from './offstage.ts';
import { PEERS } from './peers.ts';
import type { Pace, Rule } from './rule.ts';

const POLL: Pace = { kind: 'poll', period: 30_000 };
const LONG_POLL: Pace = { kind: 'long-poll', hold: 25_000, spread: 3_000 };

function rule(name: string, pace: Pace = POLL, random = 0.5): Rule {
  const candidate = [OFFSTAGE, ...PEERS].find((each) => each.name === name);
  if (!candidate) throw new RangeError(`There is no rule ${name}`);
  return candidate.make(pace, () => random);
}

/** The waits after each of some requests in a row, all of which end as quickly. */
function waits(by: Rule, client: Client, ...outcomes: readonly Outcome[]): number[] {
  return outcomes.map((outcome) => {
    const askedAt = client.dueAt;
    const endedAt = askedAt + 50;
    client.dueAt = by.afterTick(client, { dueAt: client.dueAt, askedAt, endedAt, outcome });
    return client.dueAt - endedAt;
  });
}

const [UP, DOWN] = [answered(), failed('network')];

describe('after failures in a row and the answer that ends it', () => {
  test.each([
    ['offstage', [1_300, 6_000, 30_000, 45_000, 29_950, 1_300]],
    ['fixed', [29_950, 29_950, 29_950, 29_950, 29_950, 29_950]],
    ['exponential', [1_000, 2_000, 4_000, 8_000, 29_950, 1_000]],
    ['full jitter', [500, 1_000, 2_000, 4_000, 29_950, 500]],
    ['decorrelated', [2_000, 3_500, 5_750, 9_125, 29_950, 2_000]],
  ])('%s waits', (name, expected) => {
    expect(waits(rule(name), newcomer(0, 0), DOWN, DOWN, DOWN, DOWN, UP, DOWN)).toEqual(expected);
  });

  test.each(['exponential', 'full jitter', 'decorrelated'])('%s waits 30 s at the longest', (name) => {
    const row = Array.from({ length: 20 }, () => DOWN);
    expect(waits(rule(name, POLL, 1), newcomer(0, 0), ...row).at(-1)).toBe(30_000);
  });
});

test.each([
  ['offstage', [0, 1_500]],
  ['fixed', [0, 5_000]],
  ['full jitter', [0, 500]],
])('a long-poll asks again at once, and after a failure: %s', (name, expected) => {
  expect(waits(rule(name, LONG_POLL), newcomer(0, 0), answered({ status: 204 }), DOWN)).toEqual(expected);
});

describe('when the network is back', () => {
  test('a client of offstage that was cut off asks within half a period, and begins its back-off anew', () => {
    const client = newcomer(0, 0);
    waits(rule('offstage'), client, DOWN, DOWN, DOWN, DOWN);
    client.dueAt = rule('offstage').afterReturn(client, 50_000);
    expect(client.dueAt).toBe(57_500);
    expect(waits(rule('offstage'), client, DOWN)).toEqual([1_300]);
  });

  test('but not later than it would have, and not when it was not cut off', () => {
    const client = newcomer(0, 0);
    waits(rule('offstage'), client, DOWN);
    expect(rule('offstage').afterReturn(client, 1_000)).toBe(1_350);
    waits(rule('offstage'), client, UP);
    expect(rule('offstage').afterReturn(client, 31_000)).toBe(client.dueAt);
  });

  test('a usual client asks at once', () => {
    expect(rule('full jitter').afterReturn(newcomer(0, 70_000), 60_000)).toBe(60_000);
  });
});

describe('when all starts anew', () => {
  test.each([
    ['what is to come stays', 70_000, [70_000, 70_000, 70_000]],
    ['what is on time stays', 60_000, [60_000, 60_000, 60_000]],
    ['what is 2 ms late is spread over 10 ms', 59_998, [60_000, 60_005, 60_010]],
    ['what is 50 ms late is spread over a quarter of a second', 59_950, [60_000, 60_125, 60_250]],
    ['what is a period late is spread over half of one', 30_000, [60_000, 67_500, 75_000]],
    ['what is an hour late is spread over half a period', 60_000 - 3_600_000, [60_000, 67_500, 75_000]],
  ])('with offstage, %s', (_name, dueAt, expected) => {
    const askedAt = [0, 0.5, 1].map((random) =>
      rule('offstage', POLL, random).afterRestart(newcomer(0, dueAt), 60_000),
    );
    expect(askedAt).toEqual(expected);
  });

  test('a long-poll counts with 20 s', () => {
    expect(rule('offstage', LONG_POLL).afterRestart(newcomer(0, 30_000), 60_000)).toBe(65_000);
  });

  test('a usual client asks at once, whatever it knew', () => {
    expect(rule('exponential').afterRestart(newcomer(0, 70_000), 60_000)).toBe(60_000);
  });

  test.each(['offstage', 'exponential'])('the failures are forgotten: %s', (name) => {
    const [client, first] = [newcomer(0, 0), waits(rule(name), newcomer(0, 0), DOWN)];
    waits(rule(name), client, DOWN, DOWN);
    client.dueAt = rule(name).afterRestart(client, 500_000);
    expect(waits(rule(name), client, DOWN)).toEqual(first);
  });
});
