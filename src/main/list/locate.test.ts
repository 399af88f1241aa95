import { expect, test } from 'vitest';
import { locate } from './choices.ts';
import { allOf } from './rows.ts';

/** The letters are rows; `places` such as `b1 c?` are identities with the index that was known. */
function located(rows: string, places: string): string {
  const before = new Map(
    places.split(' ').map((place) => [place.charAt(0), place.endsWith('?') ? -1 : Number(place.slice(1))]),
  );
  return Array.from(locate(allOf(Array.from(rows)), before), ([row, index]) => `${String(row)}${index}`).join(
    ' ',
  );
}

test.each([
  ['where they were', 'abcd', 'b1 d3', 'b1 d3'],
  ['that have moved', 'xabcd', 'b1 d3', 'b2 d4'],
  ['of which some have moved', 'axbcd', 'a0 d3', 'a0 d4'],
  ['that have changed places, in the order asked for', 'dcba', 'd3 a0', 'd0 a3'],
  ['of which one is gone', 'acd', 'd3 b1 a0', 'd2 a0'],
  ['beyond the end', 'ab', 'b9 c8', 'b1'],
  ['whose place was not known', 'abcd', 'c? z? a?', 'c2 a0'],
  ['that come twice: the place that was known', 'aba', 'a2', 'a2'],
  ['that come twice: else the first', 'baa', 'a0', 'a1'],
  ['that come twice, before another', 'baac', 'a0 c0', 'a1 c3'],
])('rows are found %s', (_what, rows, places, found) => {
  expect(located(rows, places)).toBe(found);
});

test('nothing but their places is looked at where rows have not moved', () => {
  const looked: unknown[] = [];
  const rows = new Proxy(Array.from('abcdefgh'), {
    get: (target, name) => {
      looked.push(name);
      return Reflect.get(target, name);
    },
  });
  const all = allOf(rows);
  looked.length = 0;
  locate(all, new Map([['c', 2]]));
  expect(looked).toEqual(['length', '2']);
});

test('the search ends where the last is found', () => {
  let reads = 0;
  const rows = Array.from({ length: 100 }, (_, id) => ({
    get id(): number {
      reads += 1;
      return id;
    },
  }));
  expect(locate(allOf(rows), new Map([[4, 3]]))).toEqual(new Map([[4, 4]]));
  expect(reads).toBeLessThan(10);
});
