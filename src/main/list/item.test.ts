import { expect, test } from 'vitest';
import { labelOf } from './item.ts';

test.each<[unknown, string]>([
  [{ id: 1, label: 'c', name: 'b', title: 'a' }, 'a'],
  [{ id: 1, label: 'c', name: 'b' }, 'b'],
  [{ id: 1, label: 'c' }, 'c'],
  [{ id: 1, title: '', name: null, label: {} }, '1'],
  [{ _id: 'two' }, 'two'],
  [{ title: 0 }, '0'],
  ['text', 'text'],
  [7, '7'],
  [false, 'false'],
  [null, ''],
  [undefined, ''],
  [{ other: 1 }, '{"other":1}'],
  [['a', 'b'], 'a,b'],
  [new URL('https://a.test/'), 'https://a.test/'],
  [Object.create(null), '{}'],
  [{ id: [{ toString: 1 }] }, '[{"toString":1}]'],
])('%j without a path shows %j', (row, label) => {
  expect(labelOf(row, '')).toBe(label);
});

test.each<[unknown, string, string]>([
  [{ author: { name: 'Ada' } }, 'author.name', 'Ada'],
  [{ author: { name: 'Ada' } }, 'author', '{"name":"Ada"}'],
  [{ author: null, title: 'not asked for' }, 'author.name', ''],
  [{ title: 'a', rank: 0 }, 'rank', '0'],
  [{ tags: ['x', 'y'] }, 'tags.1', 'y'],
  ['text', 'length', ''],
])('%j shows at %s %j', (row, path, label) => {
  expect(labelOf(row, path)).toBe(label);
});
