import { expect, test } from 'vitest';
import { negotiate } from './channel.ts';

test.each<[string, number, number, number | null]>([
  ['the same', 2, 1, 2],
  ['a page that is one older', 1, 1, 1],
  ['a page that is one newer', 3, 2, 2],
  ['a page that is two newer', 4, 3, null],
  ['a page that speaks nothing', 2, 3, null],
])('with %s', (_name, protocol, oldest, agreed) => {
  expect(negotiate({ protocol, oldest }, 2, 1)).toBe(agreed);
});

test('a page that is too old is not understood', () => {
  expect(negotiate({ protocol: 1, oldest: 1 }, 3, 2)).toBe(null);
});
