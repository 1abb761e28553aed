import { expect, it } from 'vitest';
import { countPlaywright, countVitest } from './count-tests.mjs';
import { describeCounts, runSteps } from './run-steps.mjs';

it('runs every step whatever fails, shows the output of those that did, and counts over all', async () => {
  /** @type {string[]} */
  const lines = [];
  const total = await runSteps(
    [
      { name: 'format', title: 'format', run: async () => ({ passed: 1, failed: 0, output: 'nothing to see' }) },
      { name: 'lint', title: 'lint', run: () => Promise.reject(new Error('the linter is gone')) },
      { name: 'vitest', title: 'tests', run: async () => ({ passed: 40, failed: 2, skipped: 1, output: 'two reds\n' }) },
    ],
    (line) => lines.push(line),
  );
  expect(total).toEqual({ passed: 41, failed: 3, skipped: 1 });
  expect(describeCounts(total)).toBe('41 passed, 3 failed, 1 skipped');
  expect(describeCounts({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed');
  expect(lines[0]).toMatch(/^ok {5}format {3}format, \d+\.\d s$/);
  expect(lines[1]).toContain('the linter is gone');
  expect(lines[2]).toMatch(/^FAILED lint {5}lint, /);
  expect(lines[3]).toBe('two reds');
  expect(lines[4]).toMatch(/^FAILED vitest {3}tests \(40 passed, 2 failed, 1 skipped\), /);
});

it('counts vitest', () => {
  const report = JSON.stringify({ numTotalTests: 8, numPassedTests: 5, numFailedTests: 2, numPendingTests: 1, success: false });
  expect(countVitest(report)).toEqual({ passed: 5, failed: 2, skipped: 1 });
  expect(countVitest('{}')).toEqual({ passed: 0, failed: 0, skipped: 0 });
});

it('counts Playwright, luck as a failure', () => {
  const report = JSON.stringify({ stats: { startTime: 'x', duration: 9.5, expected: 7, unexpected: 1, flaky: 2, skipped: 3 } });
  expect(countPlaywright(report)).toEqual({ passed: 7, failed: 3, skipped: 3 });
  expect(countPlaywright('{}')).toEqual({ passed: 0, failed: 0, skipped: 0 });
});
