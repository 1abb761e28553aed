import { existsSync } from 'node:fs';
import type { LaunchOptions } from '@playwright/test';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

/** What Chromium needs where there is no GPU and no network, and as root, as in most containers. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

const chromium = process.env.GALLEY_CHROMIUM ?? (existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : undefined);

/** The browser of this machine, as every run of this folder starts it. */
export const CHROMIUM: LaunchOptions = { args: FLAGS, ...(chromium === undefined ? {} : { executablePath: chromium }) };
