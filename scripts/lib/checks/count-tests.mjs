/** @typedef {{ passed: number, failed: number, skipped: number }} TestCount */

/**
 * Counts vitest's JSON report.
 * @param {string} report
 * @returns {TestCount}
 */
export function countVitest(report) {
  const { numPassedTests, numFailedTests, numPendingTests } = numbersOf(report, (value) => value);
  return { passed: numPassedTests ?? 0, failed: numFailedTests ?? 0, skipped: numPendingTests ?? 0 };
}

/**
 * Counts Playwright's JSON report. A test that passed only when it was run again is counted as failed: here nothing may be left to luck.
 * @param {string} report
 * @returns {TestCount}
 */
export function countPlaywright(report) {
  const { expected, unexpected, flaky, skipped } = numbersOf(report, (value) => value['stats']);
  return { passed: expected ?? 0, failed: (unexpected ?? 0) + (flaky ?? 0), skipped: skipped ?? 0 };
}

/**
 * @param {string} report
 * @param {(value: Record<string, unknown>) => unknown} choose
 * @returns {Partial<Record<string, number>>}
 */
function numbersOf(report, choose) {
  const chosen = choose(/** @type {Record<string, unknown>} */ (JSON.parse(report)));
  if (typeof chosen !== 'object' || chosen === null) return {};
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => typeof value === 'number'));
}
