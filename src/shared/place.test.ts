import { expect, test } from 'vitest';
import { canCarry, isPointer } from './place.ts';

test.each([
  ['/', true],
  ['/a/0', true],
  ['/~0~1', true],
  ['', false],
  ['a', false],
  ['#/a', false],
  ['/a~', false],
  ['/~2', false],
  ['/~01~', false],
])('%j is a JSON pointer into a body: %s', (text, is) => {
  expect(isPointer(text)).toBe(is);
});

test('a pointer of millions of characters is looked through at once', () => {
  expect(isPointer('/~0'.repeat(2_000_000))).toBe(true);
});

test('a query carries all text but half a surrogate pair, a header one byte a character', () => {
  const [query, header] = [
    { kind: 'query', name: 'a' },
    { kind: 'header', name: 'A' },
  ] as const;
  expect(['☃\n', '😀', '\ud83d'].map((each) => canCarry(query, each))).toEqual([true, true, false]);
  expect(['é', '☃', 'a\nb'].map((each) => canCarry(header, each))).toEqual([true, false, false]);
});
