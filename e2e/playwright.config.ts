import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { findFreePort } from '../scripts/lib/launcher/port.mjs';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

/** What Chromium needs where there is no GPU and no network, and as root, as in most containers. */
const CHROMIUM_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

// This file is read once more in each process of Playwright; they inherit what the first one chose.
process.env.E2E_PORT ??= String(await findFreePort());

const chromium = process.env.GALLEY_CHROMIUM ?? (existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : undefined);

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
    launchOptions: { args: CHROMIUM_FLAGS, ...(chromium === undefined ? {} : { executablePath: chromium }) },
  },
});
