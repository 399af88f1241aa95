import { expect, test } from 'vitest';
import { isPath, valueAt } from './path.ts';

test('what lies at a path is given as it is', () => {
  const author = { name: 'Ada' };
  expect(valueAt({ author }, 'author')).toBe(author);
  expect(valueAt({ author }, 'author.age')).toBeUndefined();
  expect(valueAt({ author }, 'author.age.years')).toBeUndefined();
});

test.each(['a', 'a.b', '0.a'])('%j is a path', (text) => {
  expect(isPath(text)).toBe(true);
});

test.each(['', '.', 'a.', '.a', 'a..b'])('%j is none', (text) => {
  expect(isPath(text)).toBe(false);
});
