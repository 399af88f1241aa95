import { describe, expect, test } from 'vitest';
import { applyByteChange } from './byte-delta.fixture.ts';
import type { ByteDelta } from './response-store.ts';

function change(runs: readonly number[], literal = '', size = total(runs)): ByteDelta {
  return { runs, literal: new TextEncoder().encode(literal).buffer, size };
}

function total(runs: readonly number[]): number {
  return runs.reduce((sum, each, index) => sum + (index % 2 === 0 ? 0 : each), 0);
}

function applied(base: string, made: ByteDelta): string | null {
  const next = applyByteChange(new TextEncoder().encode(base), made);
  return next && new TextDecoder().decode(next);
}

describe('the new bytes are made of', () => {
  test.each<[what: string, base: string, ByteDelta, next: string]>([
    ['all of the old ones', 'abcdef', change([0, 6]), 'abcdef'],
    ['new ones in the middle', 'abcdef', change([0, 2, -1, 1, 3, 3], 'X'), 'abXdef'],
    ['new ones in several places, in their order', 'abc', change([-1, 1, 1, 1, -1, 2], 'XYZ'), 'XbYZ'],
    ['old ones in another order, and twice', 'abc', change([2, 1, 0, 2, 2, 1]), 'cabc'],
    ['runs of no length', 'abc', change([3, 0, -1, 0, 0, 3]), 'abc'],
    ['new ones alone', 'abc', change([-1, 2], 'XY'), 'XY'],
    ['new ones where there were none', '', change([-1, 2], 'XY'), 'XY'],
    ['nothing', 'abc', change([]), ''],
    ['nothing of nothing', '', change([]), ''],
  ])('%s', (_what, base, made, next) => {
    expect(applied(base, made)).toBe(next);
  });

  test('and the old ones stay as they were', () => {
    const base = new Uint8Array([1, 2, 3]);
    applyByteChange(base, change([-1, 3], 'XYZ'))?.fill(9);
    expect([...base]).toEqual([1, 2, 3]);
  });

  test('old ones that are a part of a buffer', () => {
    const base = new TextEncoder().encode('..abc..').subarray(2, 5);
    expect(new TextDecoder().decode(applyByteChange(base, change([1, 2])) ?? undefined)).toBe('bc');
  });
});

describe('a change does not fit where', () => {
  test.each<[why: string, ByteDelta]>([
    ['a run ends behind the old bytes', change([1, 3])],
    ['a run begins behind them', change([4, 0])],
    ['a run begins before them', change([-2, 1])],
    ['a run begins between two bytes', change([0.5, 1])],
    ['a run begins nowhere', change([NaN, 1])],
    ['a length is negative', change([0, 2, 0, -1], '', 1)],
    ['a length is no whole number', change([0, 1.5, 0, 1.5], '', 3)],
    ['a length is missing', change([0, 3, 0], '', 3)],
    ['literal bytes are left over', change([0, 3], 'X')],
    ['literal bytes are missing', change([-1, 2], 'X')],
    ['it makes fewer bytes than it says', change([0, 3], '', 4)],
    ['it makes more bytes than it says', change([0, 3], '', 2)],
    ['nothing is to make something', change([], '', 1)],
    ['more bytes are spoken of than there is memory', change([-1, 2 ** 52], 'X')],
  ])('%s', (_why, made) => {
    expect(applied('abc', made)).toBeNull();
  });
});
