import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Arrangement } from '../contracts/read-body.ts';
import { arrange } from './arrange.ts';
import { bytesOf, finish } from './body.fixture.ts';
import { listAt } from './container.ts';
import { arrangedText } from './arrange.ts';

interface Row {
  readonly id: number;
  readonly text: string;
}

const BY_TEXT = (one: unknown, other: unknown): number => textIn(one).localeCompare(textIn(other));
const HAS_A = (row: unknown): boolean => textIn(row).includes('a');

function textIn(row: unknown): string {
  return typeof row === 'object' && row !== null && 'text' in row ? String(row.text) : '';
}

/** What a window of an arranged list shows. */
function shown(rows: readonly Row[], wish: Partial<Arrangement>, start: number, count: number): unknown {
  const list = finish(listAt(bytesOf(JSON.stringify({ rows })), ['rows']));
  if (!list) throw new Error('No list');
  const order = finish(arrange(list, { keep: null, compare: null, key: '', ...wish }));
  return { total: order.length, rows: JSON.parse(arrangedText(list, order, start, count)) };
}

test('the rows are those that arrays would be filtered and sorted to', () => {
  const row = fc.record({
    id: fc.nat(),
    text: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"', '\\') }),
  });
  fc.assert(
    fc.property(fc.array(row), fc.nat(20), fc.nat(20), (rows, start, count) => {
      const some = rows.filter(HAS_A);
      const cut = (all: readonly Row[]): unknown => ({
        total: all.length,
        rows: all.slice(start, start + count),
      });
      expect(shown(rows, { keep: HAS_A }, start, count)).toEqual(cut(some));
      expect(shown(rows, { compare: BY_TEXT }, start, count)).toEqual(cut(rows.toSorted(BY_TEXT)));
      expect(shown(rows, { keep: HAS_A, compare: BY_TEXT }, start, count)).toEqual(
        cut(some.toSorted(BY_TEXT)),
      );
    }),
  );
});

test('it pauses while it reads', () => {
  const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, text: 'a'.repeat(50) }));
  const list = finish(listAt(bytesOf(JSON.stringify(rows)), []));
  if (!list) throw new Error('No list');
  let pauses = 0;
  const work = arrange(list, { keep: HAS_A, compare: null, key: '' });
  while (!work.next().done) pauses += 1;
  expect(pauses).toBeGreaterThan(8);
});
