import { describe, expect, test } from 'vitest';
import { Load } from './load.ts';

function loadOf(...times: readonly number[]): Load {
  const load = new Load(60_000);
  for (const at of times) load.count(at);
  return load;
}

describe('the peak is the busiest second', () => {
  test('wherever it begins', () => {
    const load = loadOf(100, 4_500, 4_900, 5_300, 5_400, 9_000);
    expect(load.peak(0, 60_000)).toEqual({ requests: 4, at: 4_500 });
  });

  test('and lasts no longer than one', () => {
    expect(loadOf(1_000, 1_900, 2_000, 2_900).peak(0, 60_000).requests).toBe(2);
  });

  test('between the given times', () => {
    const load = loadOf(500, 600, 700, 5_000, 5_100);
    expect(load.peak(1_000, 60_000).requests).toBe(2);
    expect(load.peak(1_000, 5_000).requests).toBe(0);
  });
});

test('the mean is of a second', () => {
  const load = loadOf(500, 1_000, 1_200, 2_999, 3_000);
  expect(load.mean(1_000, 3_000)).toBe(1.5);
});

describe('the outline has the busiest second of each part', () => {
  const load = loadOf(100, 3_100, 5_200, 5_300, 9_900);

  test.each([
    [1, [2]],
    [5, [1, 1, 2, 0, 1]],
    [10, [1, 0, 0, 1, 0, 2, 0, 0, 0, 1]],
    [1_000, [1, 0, 0, 1, 0, 2, 0, 0, 0, 1]],
  ])('of %i, but none is shorter than a second', (parts, expected) => {
    expect(load.outline(0, 10_000, parts)).toEqual(expected);
  });
});
