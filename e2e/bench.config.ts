import { defineConfig } from '@playwright/test';
import { CHROMIUM } from './testing/chromium.ts';

/** What an open dashboard costs its browser. Figures to read, not a test: nothing fails where a machine is busy. */
export default defineConfig({
  testDir: './bench',
  testMatch: '*.bench.ts',
  outputDir: './test-results',
  reporter: 'line',
  timeout: 600_000,
  workers: 1,
  retries: 0,
  expect: { timeout: 60_000 },
  use: { browserName: 'chromium', viewport: { width: 1440, height: 900 }, locale: 'en-US', timezoneId: 'UTC', launchOptions: CHROMIUM },
});
