import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { retryAfter } from './header.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);
const DAY = 86_400_000;

function asking(value: string, date: string, receivedAt: number): number | null {
  const headers: [string, string][] = [
    ['retry-after', value],
    ['date', date],
  ];
  return retryAfter(headers, receivedAt);
}

describe('seconds', () => {
  test.each([
    ['0', 0],
    ['1', 1_000],
    [' 120 ', 120_000],
    ['007', 7_000],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['99999999999999999999', 3_600_000],
  ])('%s', (value, expected) => {
    expect(retryAfter([['Retry-After', value]], NOW)).toBe(expected);
  });
});

describe('a date, in each of the three forms of RFC 9110 section 5.6.7', () => {
  const zone = process.env['TZ'];

  beforeEach(() => {
    process.env['TZ'] = 'America/New_York';
  });

  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  test.each([
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['Thu Jan  1 12:00:30 2026', 30_000],
    ['Thu, 01 Jan 2026 12:00:00 GMT', 0],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 2026 13:00:00 GMT', 3_600_000],
    ['Fri, 01 Jan 2027 12:00:00 GMT', 3_600_000],
  ])('%s', (value, expected) => {
    expect(retryAfter([['Retry-After', value]], NOW)).toBe(expected);
  });
});

describe('a date, where the answer says when it was written', () => {
  test.each([
    ['right', 0],
    ['a day ahead', DAY],
    ['a day behind', -DAY],
  ])('counts from that, though the clock here be %s', (_how, by) => {
    const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
    expect(asking('Thu, 01 Jan 2026 12:00:30 GMT', date, NOW + by)).toBe(30_000);
    expect(asking('Thu, 01 Jan 2026 11:59:00 GMT', date, NOW + by)).toBe(0);
    expect(asking('Thu, 01 Jan 2026 14:00:00 GMT', date, NOW + by)).toBe(3_600_000);
    expect(asking('soon', date, NOW + by)).toBeNull();
  });

  test('may name either in any form', () => {
    expect(asking('Thursday, 01-Jan-26 12:00:30 GMT', 'Thu Jan  1 12:00:10 2026', NOW + DAY)).toBe(20_000);
  });

  test.each(['', 'now', '0', '2026-01-01T12:00:10Z'])(
    'counts from here where that is no date: %s',
    (date) => {
      expect(asking('Thu, 01 Jan 2026 12:00:30 GMT', date, NOW)).toBe(30_000);
    },
  );

  test('says nothing of seconds', () => {
    expect(asking('5', 'Thu, 01 Jan 2026 11:00:00 GMT', NOW)).toBe(5_000);
  });
});

describe('what is neither asks for nothing', () => {
  test('nor does what is not there', () => {
    expect(retryAfter([['Date', 'Thu, 01 Jan 2026 12:00:00 GMT']], NOW)).toBeNull();
  });

  test.each([
    '',
    ' ',
    '-5',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5 seconds',
    'soon',
    'Infinity',
    '2026-01-01T12:00:30Z',
  ])('%s', (value) => {
    expect(retryAfter([['Retry-After', value]], NOW)).toBeNull();
  });
});

test.each([
  ['5, 5', 5_000],
  ['5, 120', 120_000],
  ['120,5', 120_000],
  ['Thu, 01 Jan 2026 12:00:10 GMT, Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thursday, 01-Jan-26 12:00:30 GMT,Thu, 01 Jan 2026 12:00:10 GMT', 30_000],
  ['Thu Jan  1 12:00:30 2026, Thu Jan  1 12:00:10 2026', 30_000],
  ['10, Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['10,Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thu, 01 Jan 2026 12:00:30 GMT, 10', 30_000],
  ['Thu, 01 Jan 2026 12:00:05 GMT, 10', 10_000],
  ['soon, 10', 10_000],
])('of a header that was sent twice, as %s, the longest wait counts', (value, expected) => {
  expect(retryAfter([['Retry-After', value]], NOW)).toBe(expected);
});
