import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkSettings } from './settings-check.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The built programs: they know their settings, the launcher does not. */
const programs = ['server', 'worker'].map((name) => path.join(ROOT, `apps/${name}/dist/main.js`));

/** @param {Record<string, string>} environment */
async function faultsOf(environment) {
  const { PATH = '' } = process.env;
  const given = { PATH, GALLEY_REDIS_URL: 'unix:/nowhere/redis.sock', GALLEY_DATA_DIR: os.tmpdir(), ...environment };
  const asked = checkSettings({ programs, environment: given, cwd: ROOT, signal: new AbortController().signal });
  return await asked.then(
    () => [],
    (/** @type {Error} */ error) => error.message.split('\n'),
  );
}

it('finds no fault where there is none', async () => {
  expect(await faultsOf({})).toEqual([]);
});

it.each([
  ['GALLEY_SLOTS', '0', /^GALLEY_SLOTS is "0"; it takes a whole number from 1 to 256; .*\.$/],
  ['GALLEY_LEASE_MS', '1', /^GALLEY_LEASE_MS is "1"; it takes a whole number from 200 to 86400000; .*\.$/],
  ['GALLEY_HOST', '0.0.0.0', /^GALLEY_HOST is "0\.0\.0\.0", .*Set GALLEY_TOKENS_FILE to .*\.$/],
  ['GALLEY_REDIS_URL', 'http://x', /^GALLEY_REDIS_URL is set; it takes redis:.*\.$/],
  ['GALLEY_TOKENS_FILE', '/nope', /^GALLEY_TOKENS_FILE is \/nope, which cannot be read\..*\.$/],
  ['GALLEY_BOGUS', '1', /^GALLEY_BOGUS: no setting has this name\..*\.$/],
])('says once what is wrong with %s=%s', async (name, value, sentence) => {
  expect(await faultsOf({ [name]: value })).toEqual([expect.stringMatching(sentence)]);
});

it('gives each fault a line, and says none twice', async () => {
  const faults = await faultsOf({ GALLEY_SHARDS: '0', GALLEY_LEASE_MS: '1', GALLEY_SLOTS: '0', GALLEY_MAX_FILES: '0' });
  const names = faults.map((fault) => fault.split(' ', 1)[0]);
  expect(names).toHaveLength(4);
  expect(new Set(names)).toEqual(new Set(['GALLEY_LEASE_MS', 'GALLEY_MAX_FILES', 'GALLEY_SHARDS', 'GALLEY_SLOTS']));
});
