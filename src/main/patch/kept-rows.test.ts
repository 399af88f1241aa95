import { expect, test } from 'vitest';
import { keptRows } from './heirs.ts';

const a = { id: 'a', tags: [{ n: 1 }] };
const b = { id: 'b', tags: [] };

/** Which rows are the very objects of before; the rest as they are. */
function kept(before: readonly unknown[], from: number, after: readonly unknown[], to: number): unknown {
  const rows = keptRows({ rows: before, start: from }, { rows: structuredClone(after), start: to });
  return rows === before ? 'all' : rows.map((row) => (before.includes(row) ? before.indexOf(row) : row));
}

test('rows that are equal are the objects of before, wherever they are now', () => {
  expect(kept([a, b], 5, [a, b], 5)).toBe('all');
  expect(kept([a, b], 5, [a, b], 6)).toBe('all');
  expect(kept([a, b], 5, [b], 6)).toEqual([1]);
  expect(kept([a, b], 5, [b, a], 5)).toEqual([1, 0]);
  expect(kept([a, b], 5, [{ id: 'c' }, a], 5)).toEqual([{ id: 'c' }, 0]);
});

test('rows without a name are known by their place', () => {
  expect(kept([{ n: 1 }, { n: 2 }], 0, [{ n: 2 }, { n: 3 }], 1)).toEqual([1, { n: 3 }]);
  expect(kept([{ n: 1 }, { n: 2 }], 0, [{ n: 2 }], 0)).toEqual([{ n: 2 }]);
  expect(kept([1, 'x', null], 0, [1, 'x', null], 0)).toBe('all');
});

test('rows of one name are each known by their place', () => {
  expect(
    kept(
      [
        { id: 1, n: 1 },
        { id: 1, n: 2 },
      ],
      0,
      [
        { id: 1, n: 1 },
        { id: 1, n: 2 },
      ],
      0,
    ),
  ).toBe('all');
});

test('equal rows of one name are objects of their own', () => {
  const twin = { id: 1, n: 1 };
  expect(kept([twin, b], 0, [twin, twin], 0)).toEqual([0, twin]);
  expect(kept([b, twin], 1, [twin, twin, b], 0)).toEqual([1, twin, 0]);
});

test('a row that is one of before already stays itself, though an equal one comes first', () => {
  const old = { id: 1, n: 1 };
  const rows = keptRows({ rows: [old], start: 9 }, { rows: [{ ...old }, old], start: 0 });
  expect(rows[0]).not.toBe(old);
  expect(rows[1]).toBe(old);
});

test('rows in which anything is different are new', () => {
  const differing = [
    { id: 'a', tags: [{ n: 2 }] },
    { id: 'a', tags: { 0: { n: 1 } } },
    { id: 'a', tags: [{ n: 1 }], more: null },
    { id: 'a', tagz: [{ n: 1 }] },
    { id: 'a', tags: null },
  ];
  for (const row of differing) expect(kept([a], 0, [row], 0)).toEqual([row]);
});

test('the first rows are themselves', () => {
  const rows = [a];
  expect(keptRows(null, { rows, start: 0 })).toBe(rows);
});
