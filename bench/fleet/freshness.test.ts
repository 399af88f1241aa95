import { expect, test } from 'vitest';
import { Freshness, percentile } from './freshness.ts';

const HUNDRED = Float64Array.from({ length: 100 }, (_, index) => 100 - index);

test.each([
  [0.99, 99],
  [0.5, 50],
  [1, 100],
  [0.001, 1],
])('percentile: %f of the numbers to 100 do not exceed %i', (share, expected) => {
  expect(percentile(HUNDRED, share)).toBe(expected);
});

test('all are fresh when the last has had its answer, whatever the order in which they are noted', () => {
  const freshness = new Freshness(3);
  freshness.expect(3);
  for (const at of [700, 300, 500]) freshness.note(at);
  expect(freshness.reachedBy(0.6)).toBe(500);
  expect(freshness.reachedBy(1)).toBe(700);
});

test('while one is without an answer they are not all fresh', () => {
  const freshness = new Freshness(100);
  freshness.expect(100);
  for (let count = 0; count < 99; count += 1) freshness.note(count);
  expect(freshness.reachedBy(0.99)).toBe(98);
  expect(freshness.reachedBy(1)).toBe(Infinity);
});

test('a share is of those who are expected, of whom there may be none', () => {
  const freshness = new Freshness(100);
  expect(freshness.reachedBy(0.5)).toBeNaN();
  for (const at of [300, 100]) {
    freshness.expect();
    freshness.note(at);
  }
  freshness.expect();
  expect([0.5, 1].map((share) => freshness.reachedBy(share))).toEqual([300, Infinity]);
});
