import { describe, expect, test } from 'vitest';
import type { ByteDelta } from '../contracts/response-store.ts';
import { extended, isDue, isWorthwhile, weightOf } from './response-record.ts';
import type { DeltaLog } from './response-record.ts';

function change(literal: number, size = 10_000, runs: readonly number[] = [-1, literal]): ByteDelta {
  return { runs, literal: new ArrayBuffer(literal), size };
}

function log(differing: Partial<DeltaLog> = {}): DeltaLog {
  return { snapshot: 10_000, count: 10, bytes: 2_501, since: 0, ...differing };
}

test('a change counts for its bytes, its runs and what lies around it', () => {
  expect(weightOf(change(0, 0, []))).toBe(64);
  expect(weightOf(change(100, 300, [0, 100, -1, 100, 200, 100]))).toBe(64 + 48 + 100);
});

describe('a change is worth storing', () => {
  test.each<[expected: boolean, what: string, literal: number, size: number]>([
    [true, 'that is a quarter of the whole', 2_420, 10_000],
    [false, 'that is more than a quarter', 2_421, 10_000],
    [false, 'of a small answer', 1, 319],
    [false, 'that makes nothing', 0, 0],
  ])('%s: one %s', (expected, _what, literal, size) => {
    expect(isWorthwhile(change(literal, size), size)).toBe(expected);
  });

  test('only where it makes as many bytes as there are', () => {
    expect(isWorthwhile(change(1, 10_000), 10_001)).toBe(false);
  });
});

describe('a log', () => {
  test('begins with the first change after a snapshot', () => {
    expect(extended(null, 10_000, change(100), 5_000)).toEqual({
      snapshot: 10_000,
      count: 1,
      bytes: 180,
      since: 5_000,
    });
  });

  test('grows by a change', () => {
    expect(extended(log(), 20_000, change(100), 5_000)).toEqual(log({ count: 11, bytes: 2_681 }));
  });
});

describe('a log is compacted', () => {
  test.each<[expected: boolean, when: string, log: DeltaLog, now: number, isFree: boolean]>([
    [true, 'it is more than a quarter of the snapshot', log(), 60_000, true],
    [false, 'it is a quarter of the snapshot', log({ bytes: 2_500 }), 60_000, true],
    [false, 'it is less than a minute old', log(), 59_999, true],
    [true, 'the clock was set back', log({ since: 60_000 }), 59_999, true],
    [false, 'its origin has written much', log(), 600_000, false],
    [false, 'it is nearly as large as the snapshot', log({ bytes: 9_999 }), 0, false],
    [true, 'it is as large as the snapshot, at once', log({ bytes: 10_000 }), 0, false],
    [false, 'it has nearly a thousand changes', log({ count: 999 }), 0, false],
    [true, 'it has a thousand changes, at once', log({ count: 1_000, bytes: 1 }), 0, false],
  ])('%s: when %s', (expected, _when, grown, now, isFree) => {
    expect(isDue(grown, now, isFree)).toBe(expected);
  });
});
