import { expect, test } from 'vitest';
import { judgeLives, type Life } from './lives.ts';

const main = (...numbers: readonly number[]): Life => ({ tab: 'main', goesOn: true, numbers });
const other = (...numbers: readonly number[]): Life => ({ tab: 'other', goesOn: false, numbers });

function judge(lives: readonly Life[], last: number): [lost: number, duplicated: number] {
  const { lost, duplicated } = judgeLives(lives, 'main', last);
  return [lost.length, duplicated.length];
}

test('lives that hear everything, the last batch perhaps again, pass', () => {
  expect(judge([main(1, 2, 3), main(2, 3, 4), main(), main(5)], 5)).toEqual([0, 0]);
});

test('a life must not pass over a number', () => {
  expect(judge([main(1, 2, 4), main(3, 4)], 4)).toEqual([1, 0]);
  expect(judge([main(1, 2, 3), other(1, 3)], 3)).toEqual([1, 0]);
});

test('a life must not hear a number twice, nor an older one after a newer', () => {
  expect(judge([main(1, 2, 2, 3)], 3)).toEqual([0, 1]);
  expect(judge([main(1, 2, 1, 2, 3)], 3)).toEqual([0, 1]);
});

test('nothing may be missing between two lives, unless another page has kept the feed running', () => {
  expect(judge([main(1, 2), main(4), main(3, 4)], 4)).toEqual([1, 0]);
  expect(judge([main(1, 2), main(), main(4), main(3, 4)], 4)).toEqual([1, 0]);
  expect(judge([main(2)], 2)).toEqual([2, 0]);
  const meanwhile = other(1, 2, 3);
  expect(judge([main(1), meanwhile, { ...main(4), goesOn: false }], 4)).toEqual([0, 0]);
  expect(judge([main(1), meanwhile, { ...main(), goesOn: false }, main(4)], 4)).toEqual([0, 0]);
});

test('every number must be heard, and the last of all by the last life', () => {
  expect(judge([main(1, 2)], 3)).toEqual([2, 0]);
  expect(judge([main(1), other(2)], 2)).toEqual([1, 0]);
  expect(judge([], 1)).toEqual([2, 0]);
});
