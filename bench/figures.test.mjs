import { expect, test } from 'vitest';
import { brief, median, medianOf, quantile } from './figures.mjs';

test('A median of an even number lies between the middle two', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
});

test('A median counts the samples of its circumstances that have the figure', () => {
  const samples = [
    { library: 'a', rows: 1, busy: 5 },
    { library: 'a', rows: 1, busy: 7 },
    { library: 'a', rows: 1, busy: 6 },
    { library: 'a', rows: 1, longest: 100 },
    { library: 'a', rows: 2, busy: 100 },
    { library: 'b', rows: 1, busy: 100 },
  ];
  expect(medianOf(samples, { library: 'a', rows: 1 }, 'busy')).toBe(6);
});

test('A quantile is what that part of the values does not exceed', () => {
  const values = Array.from({ length: 200 }, (_, index) => index);
  expect([quantile(values, 0.99), quantile([7], 0.99)]).toEqual([198, 7]);
});

test('A figure is written with the digits that count, and a missing one as a dash', () => {
  expect([0.123, 1.26, 12.6, 1234.5, 0, Number.NaN].map(brief)).toEqual([
    '0.12',
    '1.3',
    '13',
    '1,235',
    '0.00',
    '-',
  ]);
});
