import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { EMPTY, extended, pruned } from './loop-shape.ts';
import type { FeedLog } from './loop-shape.ts';

const MEBIBYTE = 1_048_576;
const NOW = Date.UTC(2026, 0, 1);

function bytesOf({ sizes }: FeedLog): number {
  return sizes.reduce((total, size) => total + size, 0);
}

describe('a log that grows', () => {
  test('keeps what follows each other', () => {
    expect(extended(extended(EMPTY, 1, 5), 2, 7)).toEqual({ first: 1, sizes: [5, 7] });
  });

  test('starts anywhere', () => {
    expect(extended(EMPTY, 40, 5)).toEqual({ first: 40, sizes: [5] });
  });

  test.each([2, 3, 5])('starts afresh where number %i does not follow 3', (n) => {
    expect(extended({ first: 2, sizes: [1, 1] }, n, 5)).toEqual({ first: n, sizes: [5] });
  });

  test('loses the oldest of more than 1,000 entries', () => {
    const full = { first: 1, sizes: Array.from({ length: 1_000 }, () => 1) };
    expect(extended({ first: 1, sizes: full.sizes.slice(1) }, 1_000, 1).first).toBe(1);
    expect(extended(full, 1_001, 1)).toEqual({ first: 2, sizes: full.sizes });
  });

  test('loses the oldest as far as they are more than 8 MiB', () => {
    const log = { first: 1, sizes: [MEBIBYTE, 3 * MEBIBYTE, 4 * MEBIBYTE] };
    expect(extended(log, 4, 0).first).toBe(1);
    expect(extended(log, 4, 1)).toEqual({ first: 2, sizes: [3 * MEBIBYTE, 4 * MEBIBYTE, 1] });
    expect(extended(log, 4, 2 * MEBIBYTE)).toEqual({ first: 3, sizes: [4 * MEBIBYTE, 2 * MEBIBYTE] });
  });

  test('counts no byte of those that were too many', () => {
    const sizes = [8 * MEBIBYTE, ...Array.from({ length: 999 }, () => 1)];
    expect(extended({ first: 1, sizes }, 1_001, 1).first).toBe(2);
  });

  test('keeps the newest though it alone be larger', () => {
    const log = extended({ first: 1, sizes: [1] }, 2, 9 * MEBIBYTE);
    expect(log).toEqual({ first: 2, sizes: [9 * MEBIBYTE] });
    expect(extended(log, 3, 1)).toEqual({ first: 3, sizes: [1] });
  });
});

describe('a log that is pruned', () => {
  const log = { first: 5, sizes: [1, 2, 3] };

  test.each([
    ['before it', 4, log],
    ['its oldest', 5, { first: 6, sizes: [2, 3] }],
    ['its newest', 7, { first: 8, sizes: [] }],
    ['beyond it', 70, { first: 8, sizes: [] }],
  ])('up to %s', (_place, upTo, expected) => {
    expect(pruned(log, upTo, NOW, NOW)).toEqual(expected);
  });
});

describe('what is to go later', () => {
  const log = { first: 5, sizes: [1, 2, 3] };
  const noted = pruned(log, 6, NOW + 10, NOW);

  test('stays until then, whatever comes meanwhile', () => {
    expect(noted).toEqual({ ...log, leaving: { upTo: 6, at: NOW + 10 } });
    expect(extended(noted, 8, 4)).toEqual({ ...noted, sizes: [1, 2, 3, 4] });
    expect(extended({ ...noted, sizes: [1, 2, 8 * MEBIBYTE - 1] }, 8, 1)).toMatchObject({ first: 7 });
  });

  test('goes with whatever is noted from then on, which has a time of its own', () => {
    const later = pruned(noted, 7, NOW + 25, NOW + 10);
    expect(later).toEqual({ first: 7, sizes: [3], leaving: { upTo: 7, at: NOW + 25 } });
    expect(pruned(later, 7, NOW + 40, NOW + 25)).toMatchObject({ first: 8, sizes: [] });
  });

  test('is not put off by what is noted before', () => {
    expect(pruned(noted, 7, NOW + 19, NOW + 9)).toEqual(noted);
  });

  test('is what nobody wants who has come back meanwhile', () => {
    expect(pruned(noted, 5, NOW + 19, NOW + 9)).toEqual({ ...log, leaving: { upTo: 5, at: NOW + 10 } });
    expect(pruned(noted, 5, NOW + 25, NOW + 10)).toMatchObject({ first: 6 });
    expect(pruned(noted, 0, NOW + 25, NOW + 10)).toMatchObject({ first: 5 });
  });

  test('waits no longer than it would from now, though the clock was set back', () => {
    const day = 86_400_000;
    expect(pruned(noted, 7, NOW - day + 15, NOW - day)).toMatchObject({ leaving: { at: NOW - day + 15 } });
  });

  test('is forgotten with what goes at once', () => {
    expect(pruned(noted, 5, NOW, NOW)).toEqual({ first: 6, sizes: [2, 3] });
  });
});

test('whatever is added and pruned, what is kept is within the bounds, ends with the newest and is as large as can be', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 3 * MEBIBYTE }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.nat(30), (added, upTo) => {
      const log = added.reduce((before, size, index) => extended(before, index + 1, size), EMPTY);
      expect(log.first + log.sizes.length - 1).toBe(added.length);
      expect(log.sizes).toEqual(added.slice(log.first - 1));
      expect(bytesOf(log)).toBeLessThanOrEqual(LIMITS.feedBytes);
      const oneMore = added[log.first - 2] ?? Infinity;
      expect(bytesOf(log) + oneMore).toBeGreaterThan(LIMITS.feedBytes);
      expect(pruned(log, upTo, NOW, NOW).first).toBe(Math.max(log.first, Math.min(upTo, added.length) + 1));
    }),
  );
});
