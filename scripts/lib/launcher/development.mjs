import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { RUNNING_PACKAGES, turboFilters, turboPath } from '../build.mjs';

const DASHBOARD_PORT = 7301;
/** A build writes many files; the programs start anew once it has been quiet for this long. */
const QUIET_MS = 400;
const WATCHED = ['packages/contract', 'packages/core', 'packages/ocr', 'packages/blobs', 'apps/server', 'apps/worker'];

/**
 * What development adds to a running stack: code is built as it is saved, server and workers start anew when it was, and the dashboard is
 * served with live reload.
 * @param {{ root: string, stack: import('./stack.mjs').Stack, say: (line: string) => void }} options
 * @returns {{ stop(): Promise<void> }}
 */
export function startDevelopment({ root, stack, say }) {
  const backend = RUNNING_PACKAGES.filter((name) => name !== '@galley/dashboard');
  const tools = [
    runTool(turboPath(root), ['watch', 'build', '--output-logs=errors-only', ...turboFilters(backend)], root),
    runTool(
      path.join(root, 'node_modules/.bin/vite'),
      ['--port', String(DASHBOARD_PORT), '--clearScreen', 'false'],
      path.join(root, 'apps/dashboard'),
    ),
  ];
  const unwatch = watchBuilds(root, () => {
    say('Code was built; server and workers start anew.');
    stack.restartPrograms();
  });
  say(`The dashboard with live reload is at http://localhost:${DASHBOARD_PORT}`);
  return {
    async stop() {
      unwatch();
      await Promise.all(tools.map((tool) => tool.stop()));
    },
  };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function runTool(command, args, cwd) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error));
    child.once('close', resolve);
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * @param {string} root
 * @param {() => void} onBuilt
 * @returns {() => void} ends the watching
 */
function watchBuilds(root, onBuilt) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onBuilt, QUIET_MS);
  };
  const folders = WATCHED.map((folder) => path.join(root, folder, 'dist')).filter((folder) => existsSync(folder));
  const watchers = folders.map((folder) => watch(folder, { recursive: true }, changed));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
