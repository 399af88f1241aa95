import { describe, expect, test } from 'vitest';
import { TypeAhead, matchFor } from './listbox.ts';

describe('what is typed', () => {
  test.each<[string, [key: string, at: number][], string[]]>([
    [
      'goes on within half a second',
      [
        ['n', 0],
        ['e', 499],
        ['w', 998],
      ],
      ['n', 'ne', 'new'],
    ],
    [
      'begins anew after that',
      [
        ['n', 0],
        ['e', 500],
      ],
      ['n', 'e'],
    ],
    [
      'has no keys of other kinds in it',
      [
        ['n', 0],
        ['ArrowDown', 10],
        ['e', 20],
      ],
      ['n', '', 'ne'],
    ],
    [
      'has a space within, but none to begin with',
      [
        [' ', 0],
        ['n', 10],
        [' ', 20],
        ['y', 30],
      ],
      ['', 'n', 'n ', 'n y'],
    ],
    [
      'takes any character',
      [
        ['é', 0],
        ['😀', 10],
      ],
      ['é', 'é😀'],
    ],
  ])('%s', (_what, keys, typed) => {
    const ahead = new TypeAhead();
    expect(keys.map(([key, at]) => ahead.add(key, at))).toEqual(typed);
  });
});

describe('the row to go to', () => {
  const labels = ['Apple', 'apricot', 'Banana', 'Avocado', 'Ölive', 'aardvark'];

  test.each([
    ['the first', 'b', -1, 2],
    ['the next, not the active one', 'a', 0, 1],
    ['on from row to row', 'aa', 1, 3],
    ['round about', 'aaa', 5, 0],
    ['the active one while it fits', 'ap', 1, 1],
    ['the next that fits', 'app', 1, 0],
    ['whatever the case', 'AV', 0, 3],
    ['with marks', 'ö', 0, 4],
    ['itself where no other fits', 'b', 2, 2],
    ['none', 'x', 0, -1],
  ])('is %s', (_which, typed, active, index) => {
    expect(matchFor(typed, active, labels.length, (at) => labels[at] ?? '')).toBe(index);
  });

  test('is none where there are no rows', () => {
    expect(matchFor('a', -1, 0, () => '')).toBe(-1);
  });
});
