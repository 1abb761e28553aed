import path from 'node:path';
import { lastLines, runQuietly } from './command.mjs';
import { PlainFailure } from './failure.mjs';

/** What runs when Galley runs; what they import is built before them. */
export const RUNNING_PACKAGES = ['@galley/server', '@galley/worker', '@galley/dashboard', '@galley/cli'];

/** @param {string} root */
export function turboPath(root) {
  return path.join(root, 'node_modules/.bin/turbo');
}

/** @param {readonly string[]} packages */
export function turboFilters(packages) {
  return packages.map((name) => `--filter=${name}`);
}

/**
 * Builds what is not built or no longer current.
 * @param {{ root: string, logDirectory: string, say: (line: string) => void }} options
 */
export async function ensureBuilt({ root, logDirectory, say }) {
  say('Building what has changed ...');
  const logFile = path.join(logDirectory, 'build.log');
  const answer = await runQuietly({
    command: turboPath(root),
    args: ['run', 'build', '--output-logs=new-only', ...turboFilters(RUNNING_PACKAGES)],
    cwd: root,
    env: { TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
    logFile,
  });
  if (answer.ok) return;
  throw new PlainFailure(
    `The build failed (${answer.ending}). Its last lines:\n${lastLines(answer.output, 40)}\nAll of it is in ${logFile}.`,
  );
}
