import { describe, expect, test } from 'vitest';
import { excesses, figuresOf } from './figures.ts';
import type { Figures } from './figures.ts';
import { simulate } from './fleet.ts';
import type { Course } from './fleet.ts';
import { OFFSTAGE } from './offstage.ts';
import { PEERS } from './peers.ts';
import { find } from './scenario.ts';
import type { Scenario } from './scenario.ts';

/** Enough that the chance of single clients hardly shows. */
const CLIENTS = 30_000;
const CHANCE = 0.15;

/** What becomes of a small fleet that lives by a rule. */
function course(scenario: string, rule: string, seed = 1): Course {
  const candidate = [OFFSTAGE, ...PEERS].find(({ name }) => name === rule);
  if (!candidate) throw new RangeError(`There is no rule ${rule}`);
  return simulate(find(scenario), candidate, CLIENTS, seed);
}

function live(scenario: string, rule: string, seed = 1): Figures {
  return figuresOf(find(scenario), course(scenario, rule, seed));
}

/** The load of each of the seconds from a moment on, in whole parts of the steady one. */
function seconds({ load, steady }: Course, from: number, count: number): number[] {
  const starts = Array.from({ length: count }, (_, second) => from + second * 1_000);
  return starts.map((at) => Math.round(load.peak(at, at + 1_000).requests / steady));
}

test('clients on a fixed interval make a steady load, whether the server answers or not', () => {
  const { steady, peak, mean, fresh, refused } = live('outage-5min-of-60s', 'fixed');
  expect(steady).toBe(500);
  expect(mean).toBeCloseTo(1, 2);
  expect(peak).toBeLessThan(1 + 2 * CHANCE);
  expect(fresh).toBeCloseTo(0.99, 2);
  expect(refused).toBe(0);
});

describe('what is done in lockstep comes in one second', () => {
  test.each([
    ['reload-1s', 'fixed', 30],
    ['reload-1s', 'exponential', 30],
    ['online', 'exponential', 10.67],
    ['cut', 'exponential', 25],
    ['cut', 'fixed', 25],
  ])('%s, %s: %f times the steady load', (scenario, rule, peak) => {
    const figures = live(scenario, rule);
    expect(figures.peak).toBeGreaterThan(peak - CHANCE);
    expect(figures.peak).toBeLessThan(peak + CHANCE);
  });

  test('and those whom the server had no room for are back in step, after 2 and 4 s more', () => {
    const cut = course('cut', 'exponential');
    expect(seconds(cut, cut.struckAt + 900, 8)).toEqual([25, 0, 10, 0, 0, 0, 7, 0]);
  });

  test('a fixed interval stays in step for ever', () => {
    const reload = course('reload-1s', 'fixed');
    expect(seconds(reload, reload.recoveredAt, 2)).toEqual([30, 0]);
    expect(seconds(reload, reload.recoveredAt + 30_000, 2)).toEqual([30, 0]);
  });
});

describe('the shipped rule', () => {
  test.each([
    ['outage-1s-of-5s', 1.5],
    ['outage-1s-of-60s', 1.5],
    ['outage-10s-of-5s', 2.2],
    ['outage-10s-of-60s', 2.85],
    ['outage-5min-of-5s', 2.2],
    ['outage-5min-of-60s', 3.35],
  ])('keeps to its budget: %s', (name, peak) => {
    const figures = live(name, 'offstage');
    expect(Math.abs(figures.peak - peak)).toBeLessThan(2 * CHANCE);
    expect(excesses(figures, { ...find(name).budget, peak: 4 })).toEqual([]);
  });

  test.each([
    ['online', 1.47],
    ['reload-1s', 1.53],
    ['reload-15s', 2.51],
    ['reload-28s', 3.4],
    ['reload-30s', 2.47],
    ['reload-5min', 2.05],
    ['cut', 8.4],
    ['cut-spread-20s', 1.28],
    ['cut-spread-30s', 1.66],
    ['cut-held-60s-spread-20s', 3.05],
    ['cut-held-60s-spread-30s', 2.05],
  ])('spreads what hears of something in one instant: %s', (scenario, peak) => {
    expect(Math.abs(live(scenario, 'offstage').peak - peak)).toBeLessThan(2 * CHANCE);
  });

  test.each([0.05, 1, 8, 20, 25, 28.5, 29.5, 31, 60])(
    'takes a reload of %f s at 3.6 times the steady load at the most, and nobody is refused',
    (length) => {
      const scenario: Scenario = {
        ...find('reload-1s'),
        blow: { kind: 'reload', lasts: length * 1_000 },
      };
      const { peak, refused } = figuresOf(scenario, simulate(scenario, OFFSTAGE, CLIENTS, 1));
      expect(peak).toBeLessThan(3.6);
      expect(refused).toBe(0);
    },
  );
});

test('who notices is known by a request that failed, and is back with the answer to another', () => {
  const { askedAgain, answeredAgain, recoveredAt } = course('outage-10s-of-600s', 'fixed');
  // On a fixed interval they ask once a period.
  expect(askedAgain.reachedBy(0.5)).toBeGreaterThan(recoveredAt + 590_000);
  expect(answeredAgain.reachedBy(1)).toBeLessThan(recoveredAt + 601_000);
  expect(course('outage-10s-of-600s', 'offstage').askedAgain.reachedBy(1)).toBeLessThan(recoveredAt + 1e6);
});

test('the usual jitter multiplies the load of an outage', () => {
  expect(live('outage-5min-of-60s', 'full jitter').peak).toBeGreaterThan(8);
  expect(live('outage-5min-of-60s', 'decorrelated').peak).toBeGreaterThan(8);
});

test('the same seed gives the same course, another one another', () => {
  expect(live('outage-10s-of-60s', 'offstage', 7)).toEqual(live('outage-10s-of-60s', 'offstage', 7));
  expect(live('outage-10s-of-60s', 'offstage', 7)).not.toEqual(live('outage-10s-of-60s', 'offstage', 8));
});
