import { expect, test } from 'vitest';
import { isPointer, pointed, rowOf } from './part.ts';

test.each([
  ['', true],
  ['/', true],
  ['/a/0', true],
  ['/~0~1', true],
  ['a', false],
  ['#/a', false],
  ['/a~', false],
  ['/~2', false],
  ['/~01~', false],
])('%j is a JSON pointer: %s', (text, is) => {
  expect(isPointer(text)).toBe(is);
});

test('a pointer of millions of characters is looked through at once', () => {
  expect(isPointer('/~0'.repeat(2_000_000))).toBe(true);
});

test.each<[string, unknown]>([
  ['', { a: [{ b: 1 }], 'x/y~': 2, '': 3, '~1': 4 }],
  ['/a/0/b', 1],
  ['/x~1y~0', 2],
  ['/', 3],
  ['/~01', 4],
  ['/a/length', undefined],
  ['/a/-', undefined],
  ['/a/00', undefined],
  ['/toString', undefined],
  ['/x~1y~0/0', undefined],
])('%j leads to %j', (pointer, value) => {
  expect(pointed({ a: [{ b: 1 }], 'x/y~': 2, '': 3, '~1': 4 }, pointer)).toEqual(value);
});

test('the name of a row is its number', () => {
  expect(['0', '17', '-', '01', '-1', '1.5', ''].map(rowOf)).toEqual([0, 17, null, null, null, null, null]);
});
