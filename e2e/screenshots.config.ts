import { defineConfig } from '@playwright/test';
import { CHROMIUM } from './testing/chromium.ts';

/** Pictures of a running Galley; not a test. It fails only where a page does not show what it should. */
export default defineConfig({
  testDir: './screenshots',
  testMatch: '*.shots.ts',
  outputDir: './test-results',
  reporter: 'list',
  timeout: 900_000,
  workers: 1,
  retries: 0,
  expect: { timeout: 60_000 },
  use: {
    actionTimeout: 60_000,
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    launchOptions: CHROMIUM,
  },
});
