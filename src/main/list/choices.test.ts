import { describe, expect, test } from 'vitest';
import { Choices } from './choices.ts';
import type { SelectionMode } from './moves.ts';
import { allOf } from './rows.ts';
import type { Rows } from './rows.ts';

/** The letters are rows. */
function choices(mode: SelectionMode, rows = 'abcdef'): Choices {
  return choicesOf(mode, allOf(Array.from(rows)));
}

function choicesOf(mode: SelectionMode, rows: Rows): Choices {
  const made = new Choices();
  made.mode = mode;
  made.follow(rows);
  return made;
}

const selected = (each: Choices): string => each.selected.join('');

describe('moves', () => {
  test.each([
    ['only', 'only 2', 'c', 2],
    ['only what was chosen last', 'only 2, only 4', 'e', 4],
    ['nothing', 'only 2, keep 4', 'c', 4],
    ['one more, and no more', 'toggle 2, toggle 4, toggle 2', 'e', 2],
    ['in the order of selecting', 'toggle 4, toggle 0', 'ea', 0],
    ['a range', 'only 1, range 3', 'bcd', 3],
    ['a range from where it began', 'only 3, range 5, range 1', 'bcd', 1],
    ['a range from the active row', 'keep 2, range 4', 'cde', 4],
    ['a range of one where nothing is active', 'range 4', 'e', 4],
    ['a range in place of others', 'only 0, toggle 4, range 5', 'ef', 5],
    ['all', 'keep 3, all 3', 'abcdef', 3],
    ['all, though none is active', 'all -1', 'abcdef', -1],
  ])('select %s', (_what, moves, rows, active) => {
    const each = choices('multiple');
    for (const move of moves.split(', ')) {
      const [choice, to] = move.split(' ');
      if (choice === 'only' || choice === 'keep' || choice === 'toggle')
        each.take({ to: Number(to), choice });
      if (choice === 'range' || choice === 'all') each.take({ to: Number(to), choice });
    }
    expect([selected(each), each.active]).toEqual([rows, active]);
  });
});

describe('another model', () => {
  test('keeps what is selected and active, wherever it stands now', () => {
    const each = choices('multiple');
    each.take({ to: 1, choice: 'toggle' });
    each.take({ to: 3, choice: 'toggle' });
    each.follow(allOf(Array.from('xxabcdef')));
    expect([selected(each), each.active]).toEqual(['bd', 5]);
    each.take({ to: 7, choice: 'range' });
    expect(selected(each)).toBe('def');
  });

  test('drops what is gone, for good', () => {
    const each = choices('multiple');
    each.take({ to: 1, choice: 'toggle' });
    each.take({ to: 3, choice: 'toggle' });
    each.follow(allOf(Array.from('abc')));
    expect(selected(each)).toBe('b');
    each.follow(allOf(Array.from('abcd')));
    expect(selected(each)).toBe('b');
  });

  test('has the next row active in place of one that is gone', () => {
    const each = choices('multiple');
    each.take({ to: 3, choice: 'only' });
    each.follow(allOf(Array.from('abcef')));
    expect([selected(each), each.active]).toEqual(['', 3]);
    each.follow(allOf(Array.from('ab')));
    expect(each.active).toBe(1);
    each.follow(allOf([]));
    expect(each.active).toBe(-1);
  });

  test('has its own rows in the selection', () => {
    const each = choices('single');
    each.follow(allOf([{ id: 1, title: 'old' }]));
    each.take({ to: 0, choice: 'only' });
    each.follow(allOf([{ id: 0 }, { id: 1, title: 'new' }]));
    expect(each.selected).toEqual([{ id: 1, title: 'new' }]);
  });

  test('none, as before the first answer, is waited out', () => {
    const each = choices('single');
    each.take({ to: 2, choice: 'only' });
    each.follow(null);
    expect([each.selected, each.isSelected('c')]).toEqual([[], false]);
    each.follow(allOf(Array.from('xabc')));
    expect(selected(each)).toBe('c');
  });
});

describe('rows that are set', () => {
  test('are selected by identity, those that are there', () => {
    const each = choices('multiple');
    each.follow(allOf([{ id: 1 }, { id: 2 }, { id: 3 }]));
    each.select([{ id: 3 }, { id: 9 }, { id: 1 }]);
    expect(each.selected).toEqual([{ id: 3 }, { id: 1 }]);
    expect([{ id: 1 }, { id: 2 }].map((row) => each.isSelected(row))).toEqual([true, false]);
  });

  test('before the model are selected with it', () => {
    const each = new Choices();
    each.select(['c']);
    each.follow(allOf(Array.from('abc')));
    expect(selected(each)).toBe('c');
  });
});

test.each<[SelectionMode, string]>([
  ['none', ''],
  ['single', 'b'],
  ['multiple', 'bcd'],
])('a selection that is %s lets of three be selected: "%s"', (mode, rows) => {
  const each = choices('multiple');
  each.select(['b', 'c', 'd']);
  each.mode = mode;
  expect(selected(each)).toBe(rows);
  each.select(['b', 'c', 'd']);
  expect(selected(each)).toBe(rows);
});

test.each<[string, SelectionMode, string[], number]>([
  ['that is selected', 'single', ['d'], 3],
  ['in sight', 'multiple', [], 2],
  ['of none, where none can be selected', 'none', [], -1],
])('who enters begins at the row %s', (_which, mode, rows, active) => {
  const each = choices(mode);
  each.select(rows);
  each.enter(2);
  expect(each.active).toBe(active);
  each.enter(5);
  expect(each.active).toBe(active);
});

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** Letters of the alphabet. */
function some(from: string, to: string): Rows {
  const start = ALPHABET.indexOf(from);
  return { length: 26, there: Array.from(ALPHABET.slice(start, ALPHABET.indexOf(to) + 1)), start };
}

describe('where only some rows are there', () => {
  test('the others stay selected, as they were seen last', () => {
    const each = new Choices();
    const row = { id: 1, title: 'new' };
    each.follow({ length: 9, there: [{ id: 0 }, { id: 1, title: 'old' }], start: 0 });
    each.take({ to: 1, choice: 'only' });
    each.follow({ length: 9, there: [{ id: 0 }, row], start: 0 });
    each.follow({ length: 9, there: [{ id: 5 }], start: 5 });
    expect([each.selected, each.active]).toEqual([[row], 1]);
    expect(each.selected[0]).toBe(row);
    each.follow({ length: 10, there: [{ id: 0 }, { id: 7 }, { id: 1 }], start: 0 });
    expect([each.selected, each.active]).toEqual([[{ id: 1 }], 2]);
  });

  test('a row that was never there can be selected by what is known of it', () => {
    const each = choicesOf('multiple', some('a', 'c'));
    each.select(['x', 'b']);
    expect([selected(each), each.isSelected('x')]).toEqual(['xb', true]);
  });

  test('one that is not there yet is active at once, and chosen when it is there', () => {
    const each = choicesOf('single', some('a', 'c'));
    each.take({ to: 0, choice: 'only' });
    each.take({ to: 25, choice: 'only' });
    expect([selected(each), each.active]).toEqual(['a', 25]);
    each.follow(some('k', 'm'));
    expect([selected(each), each.active]).toEqual(['a', 25]);
    each.follow(some('x', 'z'));
    expect([selected(each), each.active]).toEqual(['z', 25]);
    each.follow(some('a', 'c'));
    expect(selected(each)).toBe('z');
  });

  test('of several such moves the last counts', () => {
    const each = choicesOf('single', some('a', 'c'));
    each.take({ to: 25, choice: 'only' });
    each.take({ to: 1, choice: 'only' });
    each.follow(some('x', 'z'));
    expect([selected(each), each.active]).toEqual(['b', 1]);
    each.take({ to: 5, choice: 'only' });
    each.select(['y']);
    each.follow(some('d', 'g'));
    expect(selected(each)).toBe('y');
  });

  test('a range has what was there, and goes on where rows are gone from the page', () => {
    const each = choicesOf('multiple', some('a', 'd'));
    each.take({ to: 1, choice: 'only' });
    for (const to of [2, 3]) each.take({ to, choice: 'range' });
    each.follow(some('d', 'h'));
    each.take({ to: 5, choice: 'range' });
    expect(selected(each)).toBe('bcdef');
    each.take({ to: 4, choice: 'range' });
    expect(selected(each)).toBe('bcde');
  });

  test('a range to a row that is not there begins where the last move was', () => {
    const each = choicesOf('multiple', some('w', 'x'));
    each.take({ to: 23, choice: 'keep' });
    each.take({ to: 25, choice: 'range' });
    each.follow(some('w', 'z'));
    expect(selected(each)).toBe('xyz');
  });

  test('all cannot be selected', () => {
    const each = choicesOf('multiple', some('a', 'c'));
    each.take({ to: 1, choice: 'only' });
    each.take({ to: 1, choice: 'all' });
    expect(selected(each)).toBe('b');
  });

  test('a range to a row that is not there has what is there until then', () => {
    const each = choicesOf('multiple', some('a', 'e'));
    each.take({ to: 2, choice: 'only' });
    each.take({ to: 25, choice: 'range' });
    expect([selected(each), each.active]).toEqual(['cde', 25]);
    each.follow(some('x', 'z'));
    expect(selected(each)).toBe('cdexyz');
  });

  test('one whose place another has taken in a list that is shorter is gone', () => {
    const each = choicesOf('multiple', some('a', 'e'));
    each.take({ to: 1, choice: 'toggle' });
    each.take({ to: 4, choice: 'toggle' });
    each.follow({ length: 27, there: Array.from('01234'), start: 0 });
    expect(selected(each)).toBe('be');
    each.follow({ length: 26, there: Array.from('0acde'), start: 0 });
    expect(selected(each)).toBe('e');
    each.follow({ length: 4, there: Array.from('01'), start: 0 });
    expect(selected(each)).toBe('');
  });

  test('keys begin at what is seen where nobody knows where the selected row is', () => {
    const each = choicesOf('single', some('k', 'm'));
    each.select(['x']);
    each.enter(11);
    expect(each.active).toBe(11);
  });

  test('what was to be chosen is not of another list', () => {
    const each = choicesOf('single', some('a', 'c'));
    each.take({ to: 25, choice: 'only' });
    each.turnTo();
    each.follow(allOf(Array.from(ALPHABET)));
    expect(selected(each)).toBe('');
  });

  test('the active row is the next one where it is seen to be gone', () => {
    const each = choicesOf('multiple', some('a', 'd'));
    each.take({ to: 2, choice: 'keep' });
    each.follow({ length: 25, there: Array.from('abd'), start: 0 });
    expect(each.active).toBe(2);
    each.take({ to: 2, choice: 'only' });
    expect(selected(each)).toBe('d');
    each.follow({ length: 1, there: [], start: 5 });
    expect(each.active).toBe(0);
  });
});
