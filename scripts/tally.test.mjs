import { describe, expect, test } from 'vitest';
import { tallyOfCheck, tallyOfPlaywright, tallyOfVitest } from './tally.mjs';

describe('what the unit tests counted', () => {
  test.each([
    ['all passed', { numTotalTests: 3, numPassedTests: 3, numFailedTests: 0 }, 0, 3, 0],
    ['one failed', { numTotalTests: 3, numPassedTests: 2, numFailedTests: 1 }, 1, 2, 1],
    ['one was left out', { numTotalTests: 3, numPassedTests: 2, numFailedTests: 0 }, 0, 2, 1],
    ['a file could not be loaded', { numTotalTests: 3, numPassedTests: 3, numFailedTests: 0 }, 1, 3, 1],
    ['no test was run', { numTotalTests: 0, numPassedTests: 0, numFailedTests: 0 }, 0, 0, 1],
  ])('%s', (_, report, exitCode, passed, failed) => {
    expect(tallyOfVitest(report, exitCode)).toMatchObject({ passed, failed });
  });
});

describe('what the end-to-end tests counted', () => {
  test.each([
    ['all passed', { expected: 3, unexpected: 0, flaky: 0, skipped: 0 }, 0, 3, 0],
    ['one failed', { expected: 2, unexpected: 1, flaky: 0, skipped: 0 }, 1, 2, 1],
    ['one passed only the second time', { expected: 2, unexpected: 0, flaky: 1, skipped: 0 }, 0, 2, 1],
    ['one was left out', { expected: 2, unexpected: 0, flaky: 0, skipped: 1 }, 0, 2, 1],
    ['the server did not start', { expected: 0, unexpected: 0, flaky: 0, skipped: 0 }, 1, 0, 1],
  ])('%s', (_, stats, exitCode, passed, failed) => {
    expect(tallyOfPlaywright({ stats }, exitCode)).toMatchObject({ passed, failed });
  });
});

test('a check counts as one', () => {
  expect(tallyOfCheck(0)).toEqual({ passed: 1, failed: 0 });
  expect(tallyOfCheck(2)).toEqual({ passed: 0, failed: 1 });
});
