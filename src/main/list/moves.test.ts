import { describe, expect, test } from 'vitest';
import { assertMode, isForTypeAhead, moveOfClick, moveOfKey, moveOfText } from './moves.ts';
import type { Keystroke, SelectionMode, Stand } from './moves.ts';

/** `Ctrl+Shift+End` and the like. */
function stroke(text: string): Keystroke {
  const parts = text.split('+');
  const has = (name: string): boolean => parts.includes(name);
  const key = parts.at(-1)?.replace('Space', ' ') ?? '';
  return { key, shiftKey: has('Shift'), ctrlKey: has('Ctrl'), metaKey: has('Meta'), altKey: has('Alt') };
}

/** At row 20 of 100, ten on a page. */
const stand = (mode: SelectionMode, given: Partial<Stand> = {}): Stand => ({
  mode,
  active: 20,
  count: 100,
  page: 10,
  ...given,
});

const told = (move: ReturnType<typeof moveOfKey>): string => (move ? `${move.choice} ${move.to}` : '-');

test.each([
  ['ArrowDown', 'only 21', 'keep 21'],
  ['ArrowUp', 'only 19', 'keep 19'],
  ['PageDown', 'only 30', 'keep 30'],
  ['PageUp', 'only 10', 'keep 10'],
  ['Home', 'only 0', 'keep 0'],
  ['End', 'only 99', 'keep 99'],
  ['Space', 'only 20', 'toggle 20'],
  ['Enter', 'only 20', 'toggle 20'],
  ['Shift+ArrowDown', 'only 21', 'range 21'],
  ['Shift+PageUp', 'only 10', 'range 10'],
  ['Ctrl+Shift+End', 'only 99', 'range 99'],
  ['Shift+Space', 'only 20', 'range 20'],
  ['Ctrl+a', '-', 'all 20'],
  ['Ctrl+A', '-', 'all 20'],
  ['Meta+a', '-', 'all 20'],
  ['Meta+ArrowDown', '-', '-'],
  ['Alt+ArrowDown', '-', '-'],
  ['ArrowRight', '-', '-'],
  ['Tab', '-', '-'],
  ['a', '-', '-'],
])('%s: in a single selection %s, in a multiple one %s, in none nothing', (keys, single, multiple) => {
  const moves = (['single', 'multiple', 'none'] as const).map((mode) => moveOfKey(stroke(keys), stand(mode)));
  expect(moves.map(told)).toEqual([single, multiple, '-']);
});

test.each<[string, string, Partial<Stand>, string]>([
  ['no row is active', 'ArrowDown', { active: -1 }, 'only 0'],
  ['no row is active', 'ArrowUp', { active: -1 }, 'only 0'],
  ['no row is active', 'Space', { active: -1 }, '-'],
  ['the last one is', 'ArrowDown', { active: 99 }, 'only 99'],
  ['the first one is', 'PageUp', { active: 0 }, 'only 0'],
  ['the end is near', 'PageDown', { active: 95 }, 'only 99'],
  ['there are no rows', 'ArrowDown', { active: -1, count: 0 }, '-'],
])('where %s, %s goes as far as it can', (_where, keys, given, move) => {
  expect(told(moveOfKey(stroke(keys), stand('single', given)))).toBe(move);
});

test.each<[string, SelectionMode, boolean]>([
  ['a', 'single', true],
  ['Shift+A', 'multiple', true],
  ['Ctrl+a', 'multiple', false],
  ['Meta+a', 'multiple', false],
  ['Alt+a', 'single', false],
  ['a', 'none', false],
])('%s in a selection that is %s is a character to find rows by: %s', (keys, mode, isIt) => {
  expect(isForTypeAhead(stroke(keys), stand(mode))).toBe(isIt);
});

test('what is typed goes where arrows go', () => {
  expect(told(moveOfText(7, stand('single')))).toBe('only 7');
  expect(told(moveOfText(7, stand('multiple')))).toBe('keep 7');
  expect(told(moveOfText(-1, stand('single')))).toBe('-');
});

describe('a click', () => {
  test.each<[SelectionMode, string, boolean, string]>([
    ['none', '', true, '-'],
    ['single', '', true, 'only 3'],
    ['single', 'Shift+', true, 'only 3'],
    ['multiple', '', true, 'only 3'],
    ['multiple', 'Ctrl+', true, 'toggle 3'],
    ['multiple', 'Meta+', true, 'toggle 3'],
    ['multiple', 'Shift+', true, 'range 3'],
    ['multiple', '', false, 'toggle 3'],
  ])('in a selection that is %s with %s (by mouse: %s) is %s', (mode, keys, isMouse, move) => {
    expect(told(moveOfClick(3, mode, stroke(keys), isMouse))).toBe(move);
  });
});

test('there are three modes', () => {
  for (const mode of ['none', 'single', 'multiple']) expect(() => assertMode(mode)).not.toThrow();
  expect(() => assertMode('one')).toThrow(
    new RangeError("selectionMode is 'none', 'single' or 'multiple', not 'one'"),
  );
});
