import { expect, test } from 'vitest';
import { Heirs, share } from './heirs.ts';

/** How often rows are shared with old ones where a list takes the place of another. */
function sharings(olds: readonly unknown[], rows: readonly unknown[]): number {
  let count = 0;
  const heirs = new Heirs(olds, (old, row) => {
    count += 1;
    return share(old, row);
  });
  for (const row of rows) heirs.add(row);
  heirs.finish();
  return count;
}

function points(from: number): unknown[] {
  return Array.from({ length: 100 }, (_, index) => [from + index, from + index]);
}

test('a row without a name is shared with the one in its place alone, so that lists in lists cost no more', () => {
  expect(sharings(points(0), points(1_000))).toBe(100);
});

test('one near by that is equal is found all the same', () => {
  const olds = points(0);
  const heirs = new Heirs(olds, share);
  for (const row of [[-1, -1], ...points(0)]) heirs.add(row);
  expect(heirs.finish().slice(1)).toEqual(olds);
  expect(heirs.finish()[1]).toBe(olds[0]);
});
