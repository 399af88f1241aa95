import { expect, test } from 'vitest';
import { distinctIdentities, identityOf } from './rows.ts';

const bare = { title: 'no key' };

test.each([
  [{ id: 1, _id: 2, key: 3 }, 1],
  [{ _id: 2, key: 3 }, 2],
  [{ key: 3 }, 3],
  [{ id: 0 }, 0],
  [{ id: '' }, ''],
  [{ id: null, key: 3 }, 3],
  ['text', 'text'],
  [7, 7],
  [null, null],
  [undefined, undefined],
  [bare, bare],
])('the identity of %j is %j', (row, identity) => {
  expect(identityOf(row)).toBe(identity);
});

test('rows of one identity that are rendered together are told apart, the first as it is alone', () => {
  expect(distinctIdentities(['a', 'b', 'a', { id: 'b' }, 'a'])).toEqual([
    'a',
    'b',
    'a (1)',
    'b (1)',
    'a (2)',
  ]);
});

const [one, other] = [{ title: 'one' }, { title: 'other' }];

test.each<[string, unknown[], unknown[]]>([
  ['is called as a repeated one would be', ['a', 'a', 'a (1)'], ['a', 'a (2)', 'a (1)']],
  ['is called so before them', ['a (1)', 'a', 'a'], ['a (1)', 'a', 'a (2)']],
  ['has a number for its text', [1, '1', 1, '1'], [1, '1', '1 (1)', '1 (2)']],
  ['has no key', [one, one, other, other], [one, '[object Object] (1)', other, '[object Object] (2)']],
])('no two rows share a key, though one %s', (_, rows, keys) => {
  expect(distinctIdentities(rows)).toEqual(keys);
  expect(new Set(keys).size).toBe(rows.length);
});
