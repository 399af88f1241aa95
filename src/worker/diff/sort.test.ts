import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from './body.fixture.ts';
import { sort } from './arrange.ts';

interface Row {
  readonly key: number;
  readonly at: number;
}

function byKey(one: Row, other: Row): number {
  return one.key - other.key;
}

test('sorts as arrays do, and leaves what is equal in its order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (keys) => {
      const rows = keys.map((key, at): Row => ({ key, at }));
      const order = finish(sort(rows, byKey));
      expect(Array.from(order, (at) => rows[at])).toEqual(rows.toSorted(byKey));
    }),
  );
});

test('takes what compares to no number for equal', () => {
  expect([...finish(sort([3, 1, 2], () => NaN))]).toEqual([0, 1, 2]);
});

test('pauses, however long the list', () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => (at * 7_919) % 10_000);
  let [compared, most, before] = [0, 0, 0];
  const work = sort(rows, (one, other) => {
    compared += 1;
    return one - other;
  });
  while (!work.next().done) {
    most = Math.max(most, compared - before);
    before = compared;
  }
  expect(compared).toBeGreaterThan(100_000);
  expect(most).toBeLessThanOrEqual(1_024);
});
