import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** How long an interrupted command may take to tidy up. */
const TIDY_LIMIT_MS = 15_000;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * @typedef {object} CommandOptions
 * @property {string} command
 * @property {readonly string[]} args
 * @property {string} cwd
 * @property {Readonly<Record<string, string>>} [env] added to this process's own
 * @property {string} [logFile] where all of its output goes as well
 * @property {NodeJS.Signals} [stopSignal] what makes it tidy up and end
 *
 * @typedef {object} CommandAnswer
 * @property {boolean} ok
 * @property {string} ending how it ended, in words
 * @property {string} output both streams, in the order in which they came
 * @property {number} seconds
 */

/**
 * Runs a command without showing its output. A signal that would end this process is passed on first and waited for, so that no half-done
 * installation goes on behind somebody's back.
 * @param {CommandOptions} options
 * @returns {Promise<CommandAnswer>} also for a command that fails or cannot be found
 */
export async function runQuietly({ command, args, cwd, env, logFile, stopSignal = 'SIGTERM' }) {
  const startedAt = performance.now();
  /** @type {Buffer[]} */
  const chunks = [];
  if (logFile !== undefined) await mkdir(path.dirname(logFile), { recursive: true, mode: 0o700 });
  const log = logFile === undefined ? null : createWriteStream(logFile);
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const take = (/** @type {Buffer} */ chunk) => {
    chunks.push(chunk);
    log?.write(chunk);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const interruption = passSignalsTo(child, stopSignal);
  const [ok, ending] = await new Promise((/** @type {(answer: [boolean, string]) => void} */ resolve) => {
    child.once('error', (error) => resolve([false, `${command} could not be started: ${error.message}`]));
    child.once('close', (code, signal) => resolve([code === 0, signal === null ? `exit code ${code}` : `ended by ${signal}`]));
  });
  await new Promise((resolve) => (log === null ? resolve(undefined) : log.end(resolve)));
  interruption.end();
  return { ok, ending, output: Buffer.concat(chunks).toString('utf8'), seconds: (performance.now() - startedAt) / 1000 };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} stopSignal
 */
function passSignalsTo(child, stopSignal) {
  /** @type {NodeJS.Signals | null} */
  let received = null;
  /** @type {NodeJS.Timeout | undefined} */
  let limit;
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    if (received !== null) return;
    received = signal;
    child.kill(stopSignal);
    limit = setTimeout(() => child.kill('SIGKILL'), TIDY_LIMIT_MS);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    end() {
      clearTimeout(limit);
      for (const signal of SIGNALS) process.off(signal, onSignal);
      if (received !== null) process.kill(process.pid, received);
    },
  };
}

/**
 * @param {string} text
 * @param {number} count
 */
export function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
