import { expect, test } from 'vitest';
import { cpuTimeOf } from '../../shared/cpu-time.fixture.ts';
import { directivesOf, secondsOf, forbidsStoring } from './storing.ts';

function read(value: string): [string, string | true][] {
  return [...directivesOf([['Cache-Control', value]])];
}

test.each<[string, [string, string | true][]]>([
  ['', []],
  ['no-store', [['no-store', true]]],
  [
    'Max-Age = 1 , NO-CACHE',
    [
      ['max-age', '1'],
      ['no-cache', true],
    ],
  ],
  ['max-age="1", max-age=2', [['max-age', '1']]],
  [
    'private="a, no-store", public',
    [
      ['private', 'a, no-store'],
      ['public', true],
    ],
  ],
  [
    'ext="\\"", no-store, more="\\""',
    [
      ['ext', '\\"'],
      ['no-store', true],
      ['more', '\\"'],
    ],
  ],
  [
    'ext="x, no-store',
    [
      ['ext', 'x'],
      ['no-store', true],
    ],
  ],
])('%s', (value, expected) => {
  expect(read(value)).toEqual(expected);
});

test.each([
  'no-store',
  'max-age=0, NO-STORE',
  'ext="x, no-store',
  'ext="x\\", no-store',
  'ext="x, no-store, y\\',
  'private="x\\"y", no-store, ext="z"',
])('%s forbids to store', (value) => {
  expect(forbidsStoring([['Cache-Control', value]])).toBe(true);
});

test.each(['', 'no-cache', 'private="a, no-store, b"', 'no-storeroom'])('%s does not', (value) => {
  expect(forbidsStoring([['Cache-Control', value]])).toBe(false);
});

test('seconds are whole numbers; anything else is none of them', () => {
  const directives = directivesOf([['Cache-Control', 'a=1, b=1.5, c=-1, d, e=x']]);
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => secondsOf(directives, name))).toEqual([
    1,
    0,
    0,
    0,
    0,
    null,
  ]);
});

test.each(['no-store="\\"', 'no-store="', '"', 'a="\\'])(
  'many of %s are read in time that grows with their length alone',
  (part) => {
    const spent = (count: number): number => cpuTimeOf(() => void read(part.repeat(count)));
    spent(1_000);
    expect(spent(40_000)).toBeLessThan(Math.max(16 * spent(10_000), 200));
  },
);
