import { expect, test } from 'vitest';
import { isYoungerLine, newLine } from './line.ts';

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['began later', 1, true],
  ['began in the same instant', 0, true],
  ['began before', -1, false],
  ['began an hour before', -3_600_000, false],
  ['seems to have begun hours before, by a clock that was set back', -3_600_001, true],
])('a line is the younger one where it %s', (_, offset, expected) => {
  expect(isYoungerLine(newLine(NOW + offset, 'a-b'), newLine(NOW, 'c-d'))).toBe(expected);
});
