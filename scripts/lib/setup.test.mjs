import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInstalled } from './dependencies.mjs';
import { nodeFault } from './node-version.mjs';
import { addressOf, parseSettings } from './settings.mjs';

describe('nodeFault', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '100.1.0'])('takes %s', (version) => {
    expect(nodeFault(version)).toBeNull();
  });
  it.each(['20.18.3', '18.20.4', '8.0.0'])('refuses %s and says what to do', (version) => {
    expect(nodeFault(version)).toMatch(/needs Node 20\.19 or newer; this is Node .* Install/);
  });
});

describe('isInstalled', () => {
  /** @type {string} */
  let root;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'galley-setup-'));
    await write('package-lock.json', {
      '': {},
      'packages/core': { version: '0.1.0' },
      'node_modules/@galley/core': { link: true },
      'node_modules/soup': { version: '1.0.0' },
      'node_modules/soup-for-another-system': { version: '1.0.0', optional: true },
    });
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  /** @param {string} file @param {Record<string, object>} packages */
  async function write(file, packages) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), JSON.stringify({ packages }));
  }

  it('is false before an install has come to its end', async () => {
    expect(await isInstalled(root)).toBe(false);
  });
  it('is true with what the lock names, but for other systems', async () => {
    await write('node_modules/.package-lock.json', { 'node_modules/soup': { version: '1.0.0' } });
    expect(await isInstalled(root)).toBe(true);
  });
  it('is false with another version', async () => {
    await write('node_modules/.package-lock.json', { 'node_modules/soup': { version: '0.9.0' } });
    expect(await isInstalled(root)).toBe(false);
  });
  it('is false with something missing', async () => {
    await write('node_modules/.package-lock.json', { 'node_modules/bread': { version: '1.0.0' } });
    expect(await isInstalled(root)).toBe(false);
  });
});

describe('parseSettings', () => {
  it('has defaults for everything', () => {
    expect(parseSettings({}, '/galley')).toEqual({
      host: '127.0.0.1',
      port: 7300,
      dataDirectory: '/galley/data',
      workers: 1,
      graceMs: 30_000,
      redisUrl: null,
      appendFsync: 'always',
    });
  });
  it('takes an empty variable for one that is not set', () => {
    expect(parseSettings({ GALLEY_PORT: ' ', GALLEY_REDIS_URL: '' }, '/galley')).toMatchObject({ port: 7300, redisUrl: null });
  });
  it('names an address that a browser takes', () => {
    expect(addressOf({ host: '0.0.0.0', port: 80 })).toBe('http://127.0.0.1:80');
    expect(addressOf({ host: '::1', port: 80 })).toBe('http://[::1]:80');
  });
});
