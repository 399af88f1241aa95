import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { isTellable, namesOf, secretsOf, selectorsOf, valuesOf, withVary } from './selection.ts';

test('the names of Vary are read in any case, each once', () => {
  const headers: Header[] = [
    ['Vary', 'X-B, accept,,'],
    ['vary', 'Accept'],
  ];
  expect(namesOf(headers)).toEqual(['accept', 'x-b']);
  expect(namesOf([])).toEqual([]);
});

test('what only the browser sets, and what is secret, selects nothing', () => {
  expect(
    selectorsOf(['accept', 'accept-encoding', 'authorization', 'cookie', 'origin', 'x-key'], ['X-Key']),
  ).toEqual(['accept']);
});

test.each<[string, boolean, boolean]>([
  ['Accept', true, true],
  ['*', false, false],
  ['Accept, *', false, false],
  ['Cookie', false, true],
  ['AUTHORIZATION', false, true],
  ['X-Key', false, true],
])(
  'what varies by %s is tellable while nobody is signed in: %s, and else: %s',
  (value, anonymous, identified) => {
    const headers: Header[] = [['Vary', value]];
    expect([false, true].map((each) => isTellable(headers, ['x-key'], each))).toEqual([
      anonymous,
      identified,
    ]);
  },
);

test.each<[string, Header, Header, boolean]>([
  ['spaces around items mean nothing', ['Foo', '1,2'], ['foo', ' 1 , 2 '], true],
  ['those within do', ['Foo', '1 2'], ['Foo', '12'], false],
  ['nor do those in quotes', ['Foo', '"1, 2"'], ['Foo', '"1,2"'], false],
  ['the case counts', ['Foo', 'a'], ['Foo', 'A'], false],
  ['and the order', ['Foo', '1, 2'], ['Foo', '2, 1'], false],
  ['but not of languages', ['Accept-Language', 'en;q=0.5, de'], ['Accept-Language', 'DE, en ; q=0.5'], true],
  ['nor of types', ['Accept', 'text/html, a/b'], ['Accept', 'A/B,text/html'], true],
  ['their values do', ['Accept-Language', 'en'], ['Accept-Language', 'en;q=0.5'], false],
  ['the default Accept is none', ['Accept', 'application/json, */*;q=0.5'], ['X', 'y'], true],
])('%s', (_, one, other, isSame) => {
  const names = ['accept', 'accept-language', 'foo'];
  expect(valuesOf(names, [one]) === valuesOf(names, [other])).toBe(isSame);
});

test('a header that is missing is not one that is empty', () => {
  expect(valuesOf(['foo'], [])).toBe('');
  expect(valuesOf(['foo'], [['Foo', '']])).not.toBe('');
});

test('secrets are found by name, in any order', () => {
  const headers: Header[] = [
    ['X-Key', 'a'],
    ['Accept', 'b'],
    ['Authorization', 'c'],
  ];
  expect(secretsOf(headers, ['x-key'])).toBe(secretsOf(headers.toReversed(), ['X-KEY']));
  expect(secretsOf(headers, ['x-key'])).not.toBe(secretsOf(headers, []));
  expect(secretsOf([['Accept', 'b']], [])).toBe('');
});

test.each<[string, string, boolean]>([
  ['Application/JSON; Q=0.5', 'application/json;q=0.5', true],
  ['a/b;version=A', 'a/b;version=a', false],
  ['a/b;profile="a ; b"', 'a/b;profile="a;b"', false],
  ['a/b;profile="x = y"', 'a/b;profile="x=y"', false],
  ['a/b;Profile="x, y", c/d', 'c/d,a/b;profile="x, y"', true],
])('whether the Accept header %s says what %s says', (one, other, isSame) => {
  const [first, second] = [one, other].map((value) => valuesOf(['accept'], [['Accept', value]]));
  expect(first === second).toBe(isSame);
});

test.each<[string, Header[], Header[], string[]]>([
  ['a readable Vary counts', [['Vary', 'X-B']], [['Accept-Language', 'de']], ['x-b']],
  [
    'else all counts that was sent',
    [],
    [
      ['X-B', '1'],
      ['Accept-Language', 'de'],
    ],
    ['accept-language', 'x-b'],
  ],
  ['but for the default Accept', [], [['Accept', 'application/json, */*;q=0.5']], []],
  [
    'for secrets, which are compared anyway',
    [],
    [
      ['Authorization', 'a'],
      ['X-Key', 'b'],
    ],
    [],
  ],
  ['and for what says how to use what is stored', [], [['Cache-Control', 'no-cache']], []],
])('of another origin %s', (_name, answer, sent, names) => {
  expect(namesOf(withVary(answer, sent, ['x-key']))).toEqual(names);
});
