// Reads what the test runners counted. A run that counted nothing, or left tests out, is a failure.

/** @typedef {{ passed: number, failed: number, remarks?: string[] }} Tally */

/**
 * @param {{ numTotalTests: number, numPassedTests: number, numFailedTests: number, numFailedTestSuites: number }} report
 *   Of `vitest --reporter=json`.
 * @param {number} exitCode
 * @returns {Tally}
 */
export function tallyOfVitest(report, exitCode) {
  const { numTotalTests, numPassedTests, numFailedTests } = report;
  return tally(numPassedTests, numFailedTests, numTotalTests - numPassedTests - numFailedTests, exitCode);
}

/**
 * @param {{ stats: { expected: number, unexpected: number, flaky: number, skipped: number } }} report
 *   Of Playwright's JSON reporter.
 * @param {number} exitCode
 * @returns {Tally}
 */
export function tallyOfPlaywright({ stats }, exitCode) {
  return tally(stats.expected, stats.unexpected + stats.flaky, stats.skipped, exitCode);
}

/**
 * A check that passes or fails as a whole.
 *
 * @param {number} exitCode
 * @returns {Tally}
 */
export function tallyOfCheck(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * @param {number} passed
 * @param {number} failed
 * @param {number} skipped
 * @param {number} exitCode
 * @returns {Tally}
 */
function tally(passed, failed, skipped, exitCode) {
  if (skipped > 0) return { passed, failed: failed + skipped, remarks: [`${skipped} tests were left out`] };
  if (passed + failed === 0) return { passed, failed: 1, remarks: ['no test was run'] };
  if (failed === 0 && exitCode !== 0)
    return { passed, failed: 1, remarks: [`the runner ended with ${exitCode}`] };
  return { passed, failed };
}
