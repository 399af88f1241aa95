import { expect, test } from 'vitest';
import { isNewer, isYoungerLine, newLine, ordinalOf } from './line.ts';

test.each([
  ['has the higher ordinal', 2, 'a-b', true],
  ['has a lower one, by however much', 1 - 10_000_000_000, 'a-b', false],
  ['has the same and the name that comes later', 1, 'd-e', true],
  ['has the same and the name that comes first', 1, 'a-b', false],
])('a line is the younger one where it %s', (_, ordinal, unique, expected) => {
  const offset = 1_700_000_000_000_000;
  expect(isYoungerLine(newLine(offset + ordinal, unique), newLine(offset + 1, 'c-d'))).toBe(expected);
});

test('of one line the higher number is the newer, of two the line decides', () => {
  const [line, younger] = [newLine(1, 'a'), newLine(2, 'a')];
  expect(isNewer({ line, n: 2 }, { line, n: 1 })).toBe(true);
  expect(isNewer({ line, n: 1 }, { line, n: 1 })).toBe(false);
  expect(isNewer({ line: younger, n: 1 }, { line, n: 9 })).toBe(true);
  expect(isNewer({ line, n: 9 }, { line: younger, n: 1 })).toBe(false);
});

test('a line says where it stands', () => {
  expect(ordinalOf(newLine(17, '5-6'))).toBe(17);
  expect(ordinalOf('name')).toBe(0);
});
