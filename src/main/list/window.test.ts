import { describe, expect, test } from 'vitest';
import { allOf } from './rows.ts';
import { anchoredScroll, pageOf, scrollTo, visibleRows, windowOf } from './window.ts';
import type { Frame } from './window.ts';

/** A hundred rows of 10 pixels, ten of which are seen. */
const frame = (given: Partial<Frame>): Frame => ({
  scrollTop: 0,
  viewHeight: 100,
  rowHeight: 10,
  count: 100,
  ...given,
});

describe('what is seen and what is rendered', () => {
  test.each<[string, Partial<Frame>, seen: [number, number], rendered: [number, number]]>([
    ['at the top', {}, [0, 10], [0, 18]],
    ['in between, rows seen in part included', { scrollTop: 205 }, [20, 31], [12, 39]],
    ['at the end', { scrollTop: 900 }, [90, 100], [82, 100]],
    ['beyond the end, as where rows have gone', { scrollTop: 5000 }, [100, 100], [92, 100]],
    ['above the top, as where it bounces', { scrollTop: -50 }, [0, 5], [0, 13]],
    ['of fewer rows than fit', { count: 3 }, [0, 3], [0, 3]],
    ['of no rows', { count: 0 }, [0, 0], [0, 0]],
    ['before the first was measured', { rowHeight: 0 }, [0, 1], [0, 1]],
    ['of no rows before any was measured', { rowHeight: 0, count: 0 }, [0, 0], [0, 0]],
    ['while it is hidden', { viewHeight: 0 }, [0, 0], [0, 8]],
    ['of very many', { count: 100_000, scrollTop: 500_000 }, [50_000, 50_010], [49_992, 50_018]],
  ])('%s', (_where, given, seen, rendered) => {
    const { from, to } = visibleRows(frame(given));
    expect([from, to]).toEqual(seen);
    const span = windowOf(frame(given));
    expect([span.from, span.to]).toEqual(rendered);
  });
});

test.each([
  ['above', 3, 300, 30],
  ['below', 45, 300, 360],
  ['in sight', 35, 300, 300],
  ['seen in part at the top', 30, 305, 300],
  ['seen in part at the end', 40, 305, 310],
])('a row %s is shown by the shortest way', (_where, index, scrollTop, to) => {
  expect(scrollTo(index, frame({ scrollTop }))).toBe(to);
});

test('a row higher than the view is shown from its top', () => {
  expect(scrollTo(3, frame({ rowHeight: 200 }))).toBe(600);
});

test.each([
  [100, 10, 9],
  [109, 10, 9],
  [15, 10, 1],
  [0, 10, 1],
  [100, 0, 1],
])('a page of %i pixels with rows of %i is %i rows', (viewHeight, rowHeight, page) => {
  expect(pageOf(frame({ viewHeight, rowHeight }))).toBe(page);
});

function rows(from: number, to: number): { readonly id: number }[] {
  return Array.from({ length: to - from }, (_, at) => ({ id: from + at }));
}

describe('what is in sight stays where it is', () => {
  const before = rows(0, 100);
  const without = (...ids: readonly number[]): { readonly id: number }[] =>
    before.filter(({ id }) => !ids.includes(id));

  test.each<[string, readonly unknown[], Partial<Frame>, number]>([
    ['nothing has moved', rows(0, 100), { scrollTop: 205 }, 205],
    ['rows came above', rows(-3, 100), { scrollTop: 205 }, 235],
    ['rows went above', rows(3, 100), { scrollTop: 205 }, 175],
    ['rows came below', rows(0, 200), { scrollTop: 205 }, 205],
    ['the first in sight is gone', [...rows(-3, 20), ...rows(21, 100)], { scrollTop: 205 }, 225],
    ['a row in the midst of it is gone', without(25), { scrollTop: 205 }, 205],
    ['all in sight are gone', [...rows(0, 20), ...rows(40, 100)], { scrollTop: 205 }, 205],
    ['all are gone', [], { scrollTop: 205 }, 205],
    ['it is at the top: news is seen', rows(-3, 100), { scrollTop: 0 }, 0],
    ['nothing was measured yet', rows(-3, 100), { scrollTop: 5, rowHeight: 0 }, 5],
  ])('where %s', (_what, after, given, scrollTop) => {
    expect(anchoredScroll(frame(given), allOf(before), allOf(after))).toBe(scrollTop);
  });
});

test('rows that are not there keep no place, and take none', () => {
  const some = { length: 1_000, there: rows(18, 24), start: 18 };
  const moved = { length: 1_003, there: rows(10, 60), start: 13 };
  const seen = frame({ scrollTop: 205, count: 1_000 });
  expect(anchoredScroll(seen, some, moved)).toBe(235);
  expect(anchoredScroll(seen, { ...some, there: [] }, moved)).toBe(205);
  expect(anchoredScroll(seen, some, { ...moved, there: [] })).toBe(205);
});
