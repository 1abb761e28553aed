import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainFailure } from '../failure.mjs';

const READY_LIMIT_MS = 120_000;
const WORKERS_LIMIT_MS = 30_000;
const POLL_MS = 50;
const ANSWER_LIMIT_MS = 5_000;

/**
 * Resolves when the server says that it is ready.
 * @param {{ address: string, logDirectory: string, signal: AbortSignal }} options the signal ends the waiting
 * @throws {PlainFailure} with the last answer, when it takes too long
 */
export async function untilServerReady({ address, logDirectory, signal }) {
  const url = `${address}/readyz`;
  const deadline = performance.now() + READY_LIMIT_MS;
  while (!signal.aborted) {
    const answer = await askReadiness(url);
    if (answer === 'ready') return;
    if (performance.now() > deadline) {
      throw new PlainFailure(`Galley was not ready after ${READY_LIMIT_MS / 1000} s (${url}: ${answer}). The logs are in ${logDirectory}.`);
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Resolves when the server lists the workers, or after a while with a warning: Galley takes work without them. Where the server asks for a
 * token its list cannot be looked at, and is not waited for.
 * @param {object} options
 * @param {string} options.address
 * @param {() => readonly (number | null)[]} options.pids the workers' processes as they are now
 * @param {string} options.logDirectory
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} options.signal ends the waiting
 */
export async function untilWorkersListed({ address, pids, logDirectory, say, signal }) {
  const deadline = performance.now() + WORKERS_LIMIT_MS;
  while (!signal.aborted && pids().length > 0) {
    const listed = await askWorkers(`${address}/api/v1/workers`);
    if (listed === 'refused') return;
    const missing = pids().filter((pid) => pid === null || !listed.includes(pid)).length;
    if (missing === 0) return;
    if (performance.now() > deadline) {
      const count = `${missing} of ${pids().length} workers`;
      say(`warning: after ${WORKERS_LIMIT_MS / 1000} s ${count} had not reported. The logs are in ${logDirectory}.`);
      return;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** @param {string} url */
async function askReadiness(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const body = await response.text();
    return response.ok ? 'ready' : `${response.status} ${body.slice(0, 300)}`;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  }
}

/**
 * @param {string} url
 * @returns {Promise<number[] | 'refused'>} processes on this machine; none while the server cannot answer
 */
async function askWorkers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    if (response.status === 401 || response.status === 403) return 'refused';
    const { workers = [] } = /** @type {{ workers?: { host: string, pid: number }[] }} */ (await response.json());
    return workers.filter(({ host }) => host === os.hostname()).map(({ pid }) => pid);
  } catch {
    // It is asked again, and what ails it is in its log.
    return [];
  }
}
