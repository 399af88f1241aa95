import { expect, test } from 'vitest';
import { Random } from './random.ts';
import { complaintsOf, percentile, type Result, type Row } from './row.ts';
import { wishOf } from './wish.ts';

const PASSED: Result = { rounds: 1, lost: 0, duplicated: 0, hung: 0, figures: [] };
const ROWS = [row('quick', false), row('patient', true)];

function row(name: string, slow: boolean): Row {
  return { number: 1, name, slow, rounds: { short: 1, long: 100 }, run: () => Promise.resolve(PASSED) };
}

function names(...args: readonly string[]): string[] {
  return wishOf(args, ROWS, 7).rows.map(({ name }) => name);
}

test('all rows run at their full figure, unless some are named or only the slow ones are asked for', () => {
  expect([names(), names('patient'), names('--slow')]).toEqual([
    ['quick', 'patient'],
    ['patient'],
    ['patient'],
  ]);
  expect(wishOf([], ROWS, 7)).toMatchObject({ length: 'long', rounds: null, seed: 7 });
  expect(wishOf(['--slow', '--rounds', '3', '--seed', '9'], ROWS, 7)).toMatchObject({
    length: 'short',
    rounds: 3,
    seed: 9,
  });
});

test('another engine has the rows that say so', () => {
  const both: Row = { ...row('both', false), engines: ['chromium', 'firefox'] };
  const wish = (...args: readonly string[]) => wishOf(args, [...ROWS, both], 7);
  expect(wish('--engine', 'firefox')).toMatchObject({ engine: 'firefox', rows: [both] });
  expect(wish('both')).toMatchObject({ engine: 'chromium', rows: [both] });
});

test('what there is not is refused', () => {
  expect(() => names('quiet')).toThrow('There is no row quiet: take quick, patient');
  expect(() => names('--engine', 'webkit')).toThrow('The rows run in chromium or firefox, not in webkit');
  expect(() => names('quick', '--engine', 'firefox')).toThrow('The row quick does not run in firefox');
  expect(() => names('--rounds', '0')).toThrow("--rounds takes a whole number of at least 1, not '0'");
  expect(() => names('--sed', '1')).toThrow(TypeError);
});

test('a result passes with three zeros and every figure met', () => {
  const figures = [{ name: 'p99', value: 499.96, unit: 'ms', atMost: 500 }];
  expect(complaintsOf({ ...PASSED, figures })).toEqual([]);
  expect(complaintsOf({ ...PASSED, lost: 1, duplicated: 2, hung: 3 })).toEqual([
    '1 lost',
    '2 duplicated',
    '3 hung',
  ]);
  expect(complaintsOf({ ...PASSED, figures: [{ name: 'reloads', value: 9, atLeast: 10 }] })).toEqual([
    'reloads 9, wanted at least 10',
  ]);
});

test('a figure that could not be measured is not met', () => {
  const value = percentile([], 0.99);
  expect(complaintsOf({ ...PASSED, figures: [{ name: 'p99', value, atMost: 500 }] })).toHaveLength(1);
});

test('a percentile is the value that so many are not above', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile([5], 0.99)]).toEqual([100, 198, 5]);
});

test('the same seed gives the same chance', () => {
  const drawn = ten(1);
  expect(drawn).toEqual(ten(1));
  expect(drawn).not.toEqual(ten(2));
  expect(drawn.every((value) => value >= 3 && value < 9)).toBe(true);
});

function ten(seed: number): number[] {
  const random = new Random(seed);
  return Array.from({ length: 10 }, () => random.between(3, 9));
}
