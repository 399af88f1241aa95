import { expect, test } from 'vitest';
import { Allowance } from './answer-writer.ts';

const ORIGIN = 'https://page.example';
const MEGABYTE = 1_000_000;

test('who has written nothing may write, however much', () => {
  expect(new Allowance().isFree(ORIGIN, 0)).toBe(true);
});

test('who has written 20 MB may write again in 20 s', () => {
  const allowance = new Allowance();
  allowance.spend(ORIGIN, 20 * MEGABYTE, 1_000);
  expect([1_000, 20_999, 21_000].map((now) => allowance.isFree(ORIGIN, now))).toEqual([false, false, true]);
});

test('what had to be written all the same is owed too', () => {
  const allowance = new Allowance();
  allowance.spend(ORIGIN, 2 * MEGABYTE, 0);
  allowance.spend(ORIGIN, 3 * MEGABYTE, 1_000);
  expect([4_999, 5_000].map((now) => allowance.isFree(ORIGIN, now))).toEqual([false, true]);
});

test('what was not written is not saved up', () => {
  const allowance = new Allowance();
  allowance.spend(ORIGIN, MEGABYTE, 0);
  allowance.spend(ORIGIN, MEGABYTE, 60_000);
  expect([60_999, 61_000].map((now) => allowance.isFree(ORIGIN, now))).toEqual([false, true]);
});

test('origins owe nothing for each other', () => {
  const allowance = new Allowance();
  allowance.spend(ORIGIN, MEGABYTE, 0);
  allowance.spend('https://other.example', 1, 500);
  expect(allowance.isFree('https://other.example', 501)).toBe(true);
  expect(allowance.isFree(ORIGIN, 999)).toBe(false);
});

test('a clock that was set back forgives', () => {
  const allowance = new Allowance();
  allowance.spend(ORIGIN, MEGABYTE, 1_000_000);
  expect(allowance.isFree(ORIGIN, 1)).toBe(true);
});

test('over an hour no more is written than one snapshot beyond 1 MB/s', () => {
  const allowance = new Allowance();
  let written = 0;
  for (let now = 0; now < 3_600_000; now += 100) {
    if (!allowance.isFree(ORIGIN, now)) continue;
    allowance.spend(ORIGIN, 7 * MEGABYTE, now);
    written += 7 * MEGABYTE;
  }
  expect(written).toBeGreaterThan(3_590 * MEGABYTE);
  expect(written).toBeLessThanOrEqual(3_607 * MEGABYTE);
});
