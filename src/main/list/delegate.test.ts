import { expect, test } from 'vitest';
import { assertModel, present } from './source.ts';

const MODEL = [3, 1, 2];

test('without filter and sorter the model itself is shown', () => {
  expect(present(MODEL, {})).toBe(MODEL);
});

test('rows are filtered and sorted, and the model stays as it is', () => {
  const delegate = {
    least: 2,
    filter(row: number): boolean {
      return row >= this.least;
    },
    sorter(a: number, b: number): number {
      return (a - b) * Math.sign(this.least);
    },
  };
  expect(present(MODEL, delegate)).toEqual([2, 3]);
  expect(present(MODEL, { sorter: (a: number, b: number) => a - b })).toEqual([1, 2, 3]);
  expect(MODEL).toEqual([3, 1, 2]);
});

test('a model is an array or null', () => {
  for (const model of [[], null]) expect(() => assertModel(model)).not.toThrow();
  for (const model of [{ items: [] }, 'rows', undefined]) expect(() => assertModel(model)).toThrow(TypeError);
  expect(() => assertModel({ items: [] })).toThrow(
    'The model of a list is an array of rows or null, not object',
  );
});
