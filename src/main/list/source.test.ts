import { describe, expect, test } from 'vitest';
import { Scrolling, assertSource, assertUnsorted, rangeFor, rowsOf } from './source.ts';
import type { ListSource } from './source.ts';

/** What a store's window does: it is elsewhere as soon as its rows are there. */
class Source extends EventTarget implements ListSource {
  model: readonly unknown[] | null = null;
  total: number | null = null;
  start = 0;
  count = 50;
  status: { readonly error: unknown } = { error: null };
  readonly moves: [start: number, count: number][] = [];

  move(start: number, count: number): void {
    this.moves.push([start, count]);
  }

  arrive(start: number, count: number, total = 1_000): void {
    const model = Array.from({ length: Math.min(count, total - start) }, (_, at) => start + at);
    Object.assign(this, { model, start, count, total });
    this.dispatchEvent(new Event('changeModel'));
  }
}

async function turn(): Promise<void> {
  await Promise.resolve();
}

describe('a source', () => {
  test.each<[string, seen: [number, number], held: [number, number], range: [number, number] | null]>([
    ['stays where enough is there', [20, 40], [0, 60], null],
    ['stays at the top', [0, 20], [0, 60], null],
    ['stays at the end', [980, 1_000], [940, 60], null],
    ['stays as long as half of what is seen is there beyond it', [30, 50], [0, 60], null],
    ['moves before its end is seen', [31, 51], [0, 60], [11, 60]],
    ['moves before its beginning is seen', [109, 129], [100, 60], [89, 60]],
    ['moves to where nothing is there', [500, 520], [0, 60], [480, 60]],
    ['has three times of what is seen', [10, 40], [0, 50], [0, 90]],
    ['is not beyond the end', [975, 995], [0, 60], [940, 60]],
    ['is not before the beginning', [5, 25], [100, 60], [0, 60]],
    ['is left alone by a list that is not seen', [0, 0], [0, 0], null],
    ['is never too long', [0, 6_000], [0, 50], [0, 10_000]],
  ])('%s', (_what, [from, to], [start, count], range) => {
    const total = to > 1_000 ? 100_000 : 1_000;
    const found = rangeFor({ from, to }, { start, count }, total);
    expect(found && [found.start, found.count]).toEqual(range);
  });

  test('is asked once, while it is on its way', async () => {
    const source = new Source();
    const scrolling = new Scrolling(source, () => {});
    scrolling.reach({ from: 0, to: 20 });
    await turn();
    expect(source.moves).toEqual([]);
    source.arrive(0, 50);
    for (const from of [99, 100, 101]) scrolling.reach({ from, to: from + 20 });
    await turn();
    expect(source.moves).toEqual([[79, 60]]);
    source.arrive(79, 60);
    scrolling.reach({ from: 101, to: 121 });
    await turn();
    expect(source.moves).toHaveLength(1);
    scrolling.reach({ from: 121, to: 141 });
    await turn();
    expect(source.moves.at(-1)).toEqual([101, 60]);
  });

  test('is not moved within its own events, nor after the end', async () => {
    const source = new Source();
    const scrolling = new Scrolling(source, () => scrolling.reach({ from: 500, to: 520 }));
    source.arrive(0, 50);
    expect(source.moves).toEqual([]);
    await turn();
    expect(source.moves).toEqual([[480, 60]]);
    scrolling.reach({ from: 0, to: 20 });
    scrolling.end();
    await turn();
    expect(source.moves).toHaveLength(1);
  });

  test('tells whether it was somebody else who has moved it', async () => {
    const source = new Source();
    const told: boolean[] = [];
    const scrolling = new Scrolling(source, (isElsewhere) => told.push(isElsewhere));
    source.arrive(0, 50);
    scrolling.reach({ from: 100, to: 120 });
    source.arrive(80, 60);
    source.arrive(80, 60);
    source.arrive(0, 60);
    source.dispatchEvent(new Event('changeStatus'));
    expect(told).toEqual([false, false, false, true, false]);
    scrolling.end();
    source.arrive(0, 50);
    expect(told).toHaveLength(5);
  });

  test('that could not be had is asked for again, by who looks at it', async () => {
    const source = new Source();
    const scrolling = new Scrolling(source, () => {});
    source.arrive(0, 60);
    for (const error of [null, 'no', null]) {
      scrolling.reach({ from: 100, to: 120 });
      await turn();
      source.status = { error };
      source.dispatchEvent(new Event('changeStatus'));
    }
    expect(source.moves).toEqual([
      [80, 60],
      [80, 60],
    ]);
  });

  test('has its rows, of so many', () => {
    const source = new Source();
    expect(rowsOf(source)).toBeNull();
    source.arrive(998, 50);
    expect(rowsOf(source)).toEqual({ length: 1_000, there: [998, 999], start: 998 });
  });

  test('is a window, and nobody filters or sorts some rows of many', () => {
    assertSource(null);
    assertSource(new Source());
    // @ts-expect-error Rows are a model.
    expect(() => assertSource([1, 2])).toThrow("The source of a list is what a store's window() returns");
    assertUnsorted({ bindItem: () => {} });
    expect(() => assertUnsorted({ filter: () => true })).toThrow('neither filter nor sorter');
    expect(() => assertUnsorted({ sorter: () => 0 })).toThrow(TypeError);
  });
});
