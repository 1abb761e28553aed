import { defineConfig } from '@playwright/test';
import { findFreePort } from '../scripts/lib/launcher/port.mjs';
import { CHROMIUM } from './testing/chromium.ts';

// This file is read once more in each process of Playwright; they inherit what the first one chose.
process.env.E2E_PORT ??= String(await findFreePort());

export default defineConfig({
  testDir: './tests',
  outputDir: './test-results',
  globalSetup: './testing/start-stack.ts',
  reporter: 'list',
  timeout: 60_000,
  globalTimeout: 480_000,
  // One stack serves all of them, and some kill its workers.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  expect: { timeout: 10_000 },
  use: {
    baseURL: `http://127.0.0.1:${process.env.E2E_PORT}`,
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: CHROMIUM,
  },
});
