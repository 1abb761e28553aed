import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { lastLines, runQuietly } from './command.mjs';
import { PlainFailure } from './failure.mjs';

const INSTALLED_LIST = 'node_modules/.package-lock.json';

/** @typedef {{ version?: string, link?: boolean, optional?: boolean, devOptional?: boolean }} LockedPackage */

/**
 * Installs what package-lock.json names, when it is missing or something else is installed.
 * @param {{ root: string, logDirectory: string, say: (line: string) => void }} options
 */
export async function ensureDependencies({ root, logDirectory, say }) {
  if (await isInstalled(root)) return;
  say('Installing dependencies (the first time this takes a minute or two) ...');
  const logFile = path.join(logDirectory, 'install.log');
  // Until it is written anew, at the very end, nothing is taken for installed: not what an interrupted run leaves either.
  await rm(path.join(root, INSTALLED_LIST), { force: true });
  const answer = await runQuietly({
    command: 'npm',
    args: ['ci', '--include=dev', '--no-audit', '--no-fund'],
    cwd: root,
    env: { ONNXRUNTIME_NODE_INSTALL: 'skip' },
    logFile,
  });
  if (answer.ok) return;
  throw new PlainFailure(
    `npm ci failed (${answer.ending}). Its last lines:\n${lastLines(answer.output, 15)}\nAll of it is in ${logFile}. Mend that, then start again.`,
  );
}

/**
 * npm keeps a list of what it installed, written last of all, so it is there only after an install that came to its end.
 * Packages for other systems are in the lock but not in that list.
 * @param {string} root
 */
export async function isInstalled(root) {
  const wanted = await readLock(path.join(root, 'package-lock.json'));
  const present = await readLock(path.join(root, INSTALLED_LIST));
  if (wanted === null)
    throw new PlainFailure(`${root} has no package-lock.json that can be read. Fetch it again with: git checkout package-lock.json`);
  if (present === null) return false;
  return [...wanted].every(([place, { version, optional, devOptional }]) => {
    const found = present.get(place);
    return found === undefined ? optional === true || devOptional === true : found.version === version;
  });
}

/**
 * The packages under node_modules by place; null when there is no such list.
 * @param {string} file
 * @returns {Promise<Map<string, LockedPackage> | null>}
 */
async function readLock(file) {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const { packages = {} } = /** @type {{ packages?: Record<string, LockedPackage> }} */ (JSON.parse(text));
  return new Map(Object.entries(packages).filter(([place, entry]) => place.startsWith('node_modules/') && entry.link !== true));
}
