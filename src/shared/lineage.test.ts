import { expect, test } from 'vitest';
import { isNewer, isYoungerLineage, newLineage, ordinalOf } from './outcome.ts';

test.each([
  ['has the higher ordinal', 2, 'a-b', true],
  ['has a lower one, by however much', 1 - 10_000_000_000, 'a-b', false],
  ['has the same and the name that comes later', 1, 'd-e', true],
  ['has the same and the name that comes first', 1, 'a-b', false],
])('a line is the younger one where it %s', (_, ordinal, unique, expected) => {
  const offset = 1_700_000_000_000_000;
  expect(isYoungerLineage(newLineage(offset + ordinal, unique), newLineage(offset + 1, 'c-d'))).toBe(
    expected,
  );
});

test('of one line the higher number is the newer, of two the line decides', () => {
  const [line, younger] = [newLineage(1, 'a'), newLineage(2, 'a')];
  expect(isNewer({ lineage: line, number: 2 }, { lineage: line, number: 1 })).toBe(true);
  expect(isNewer({ lineage: line, number: 1 }, { lineage: line, number: 1 })).toBe(false);
  expect(isNewer({ lineage: younger, number: 1 }, { lineage: line, number: 9 })).toBe(true);
  expect(isNewer({ lineage: line, number: 9 }, { lineage: younger, number: 1 })).toBe(false);
});

test('a line says where it stands', () => {
  expect(ordinalOf(newLineage(17, '5-6'))).toBe(17);
  expect(ordinalOf('name')).toBe(0);
});
