import path from 'node:path';
import { PlainFailure } from './failure.mjs';

/**
 * What the launcher itself needs to know; everything else in the environment is for server and workers to read.
 * @typedef {object} LauncherSettings
 * @property {string} host
 * @property {number} port
 * @property {string} dataDirectory absolute
 * @property {number} workers worker processes
 * @property {number} graceMs how long a worker may take to finish its tasks when it is stopped
 * @property {string | null} redisUrl null: Galley runs its own
 * @property {'always' | 'everysec'} appendFsync of Galley's own Redis
 */

/** Settings that concern the launcher alone, so the programs that it starts are not given them. */
export const LAUNCHER_ONLY = ['GALLEY_WORKERS', 'GALLEY_REDIS_APPENDFSYNC'];

/**
 * Reads the launcher's part of the environment.
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {string} root relative paths are meant from here
 * @returns {LauncherSettings}
 * @throws {PlainFailure} that names the variable and what it takes
 */
export function parseSettings(environment, root) {
  const text = (/** @type {string} */ name) => environment[name]?.trim() || null;
  const number = (/** @type {string} */ name, /** @type {[number, number, number]} */ [least, most, otherwise]) =>
    readNumber(name, text(name), { least, most, otherwise });
  const appendFsync = text('GALLEY_REDIS_APPENDFSYNC') ?? 'always';
  if (appendFsync !== 'always' && appendFsync !== 'everysec') {
    throw new PlainFailure(`GALLEY_REDIS_APPENDFSYNC is "${appendFsync}"; it takes always or everysec.`);
  }
  return {
    host: text('GALLEY_HOST') ?? '127.0.0.1',
    port: number('GALLEY_PORT', [1, 65_535, 7300]),
    dataDirectory: path.resolve(root, text('GALLEY_DATA_DIR') ?? './data'),
    workers: number('GALLEY_WORKERS', [0, 64, 1]),
    graceMs: number('GALLEY_GRACE_MS', [0, 86_400_000, 30_000]),
    redisUrl: text('GALLEY_REDIS_URL'),
    appendFsync,
  };
}

/**
 * The address to open, as a person types it.
 * @param {{ host: string, port: number }} settings
 */
export function addressOf({ host, port }) {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * @param {string} name
 * @param {string | null} value
 * @param {{ least: number, most: number, otherwise: number }} bounds
 */
function readNumber(name, value, { least, most, otherwise }) {
  if (value === null) return otherwise;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new PlainFailure(`${name} is "${value}"; it takes a whole number from ${least} to ${most}. Left out, it is ${otherwise}.`);
}
