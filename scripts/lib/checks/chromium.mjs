import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PlainFailure } from '../failure.mjs';
import { installPackage, mayInstallPackages } from '../packages.mjs';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

const CHROMIUM_HELP = `The browser tests need Chromium. Install it with one of:
  Debian:  sudo apt-get install -y chromium
  others:  npx playwright install --with-deps chromium
or name one that is there: GALLEY_CHROMIUM=/path/to/chromium npm test`;

/**
 * The Chromium for the browser tests: the one that is named, the system's, Playwright's own, or a fresh one where that may be installed unasked.
 * @param {{ root: string, logDirectory: string, say: (line: string) => void }} options
 * @returns {Promise<string>} its path
 */
export async function ensureChromium({ root, logDirectory, say }) {
  const found = await findChromium(root);
  if (found !== null) return found;
  if (!(await mayInstallPackages())) throw new PlainFailure(CHROMIUM_HELP);
  await installPackage({ name: 'chromium', logDirectory, say });
  const installed = await findChromium(root);
  if (installed === null) throw new PlainFailure(CHROMIUM_HELP);
  return installed;
}

/**
 * @param {string} root
 * @returns {Promise<string | null>}
 */
export async function findChromium(root) {
  for (const candidate of [process.env['GALLEY_CHROMIUM'], SYSTEM_CHROMIUM, playwrightChromium(root)]) {
    if (candidate !== undefined && candidate !== null && (await isExecutable(candidate))) return candidate;
  }
  return null;
}

/** Where Playwright would have put its own, whether or not it is there. @param {string} root */
function playwrightChromium(root) {
  const require = createRequire(path.join(root, 'e2e/package.json'));
  const { chromium } = /** @type {typeof import('@playwright/test')} */ (require('@playwright/test'));
  return chromium.executablePath();
}

/** @param {string} file */
async function isExecutable(file) {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
