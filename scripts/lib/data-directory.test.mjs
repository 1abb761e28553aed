import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDataDirectory } from './data-directory.mjs';

/** @type {string} */
let root;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'galley-data-'));
  await writeFile(path.join(root, 'file'), '');
  await symlink('nowhere', path.join(root, 'dangling'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

it('makes it with what is above it, for this user alone, and takes one that is there', async () => {
  const directory = path.join(root, 'a/b');
  await Promise.all([makeDataDirectory(directory), makeDataDirectory(directory)]);
  await makeDataDirectory(directory);
  for (const folder of [directory, path.join(directory, 'logs')]) expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it.each([
  ['file', /file is not a folder/],
  ['file/below/it', /file is not a folder/],
  ['dangling', /EEXIST/],
  ['/dev/null', /\/dev\/null is not a folder/],
  ['/proc/nope', /ENOENT/],
  ['/proc', /ENOENT/],
])('refuses %s in one sentence, at once', { timeout: 2_000 }, async (place, reason) => {
  const directory = path.resolve(root, place);
  const refused = makeDataDirectory(directory);
  await expect(refused).rejects.toThrow(reason);
  await expect(refused).rejects.toThrow(`GALLEY_DATA_DIR is "${directory}"; it takes a folder that Galley can make or write to (`);
});
