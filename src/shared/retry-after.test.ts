import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { retryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

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
    expect(retryAfter(value, NOW)).toBe(expected);
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
    expect(retryAfter(value, NOW)).toBe(expected);
  });
});

describe('what is neither asks for nothing', () => {
  test.each([
    null,
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
    expect(retryAfter(value, NOW)).toBeNull();
  });
});
