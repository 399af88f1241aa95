import { expect, test } from 'vitest';
import { isPath, valueAt } from './path.ts';

test('what lies at a path is given as it is', () => {
  const author = { name: 'Ada' };
  expect(valueAt({ author }, 'author')).toBe(author);
  expect(valueAt({ author }, 'author.age')).toBeUndefined();
  expect(valueAt({ author }, 'author.age.years')).toBeUndefined();
});

test.each([
  ['entries', []],
  ['values', [1]],
  ['toString', {}],
  ['constructor.name', {}],
  ['__proto__', {}],
])('%s of %j leads nowhere: data is nothing that is inherited', (path, value) => {
  expect(valueAt(value, path)).toBeUndefined();
});

test('members of those names lead on, and so do the length of a list and the getters of a class', () => {
  class Author {
    get name(): string {
      return 'Ada';
    }
  }
  const rows = JSON.parse('{"entries":1,"toString":2,"__proto__":3}');
  expect(['entries', 'toString', '__proto__'].map((path) => valueAt(rows, path))).toEqual([1, 2, 3]);
  expect([valueAt([1, 2], 'length'), valueAt(new Author(), 'name')]).toEqual([2, 'Ada']);
});

test.each(['a', 'a.b', '0.a'])('%j is a path', (text) => {
  expect(isPath(text)).toBe(true);
});

test.each(['', '.', 'a.', '.a', 'a..b'])('%j is none', (text) => {
  expect(isPath(text)).toBe(false);
});
