import path from 'node:path';
import { PlainFailure } from '../failure.mjs';
import { installPackage, mayInstallPackages } from '../packages.mjs';

/** What a person types where Galley may not install Redis itself. */
const REDIS_HELP = `Galley needs Redis 7.0 or newer (or Valkey 7.2 or newer). Install it with one of:
  Debian, Ubuntu:  sudo apt-get install -y redis-server
  macOS:           brew install redis
or run one elsewhere and name it:
  docker run -d -p 127.0.0.1:6379:6379 redis:7 redis-server --appendonly yes --maxmemory-policy noeviction
  GALLEY_REDIS_URL=redis://127.0.0.1:6379 npm start`;

/**
 * The Redis of a stack: somebody else's, or one that Galley runs.
 * @typedef {object} ProvidedRedis
 * @property {string} url
 * @property {number | null} pid null for somebody else's
 * @property {() => Promise<void>} stop leaves somebody else's alone
 */

/**
 * @typedef {object} ProvideRedisOptions
 * @property {import('../settings.mjs').LauncherSettings} settings
 * @property {string} root
 * @property {string} logDirectory
 * @property {(line: string) => void} say
 * @property {(reason: string) => void} onGiveUp called when Galley's own Redis cannot be kept running
 */

/**
 * Uses the Redis that is named, or starts (or adopts) one in the data directory, installing it first where that may be done unasked.
 * @param {ProvideRedisOptions} options
 * @returns {Promise<ProvidedRedis>}
 */
export async function provideRedis({ settings, root, logDirectory, say, onGiveUp }) {
  if (settings.redisUrl !== null) return { url: settings.redisUrl, pid: null, stop: async () => undefined };
  const { findRedisServer, startRedisServer } = await loadRedisServer(root);
  await ensureRedisServer({ findRedisServer, logDirectory, say });
  const server = await startRedisServer({
    directory: path.join(settings.dataDirectory, 'redis'),
    appendfsync: settings.appendFsync,
    logger: { info: say, warn: say },
  });
  if (server.adopted) say(`Found the Redis of an earlier start still running (process ${server.pid}); using it.`);
  server.onExit(({ reason, restarting }) => {
    if (!restarting) onGiveUp(reason);
  });
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    stop: () => server.stop(),
  };
}

/**
 * @param {{ findRedisServer: () => Promise<unknown>, logDirectory: string, say: (line: string) => void }} options
 */
export async function ensureRedisServer({ findRedisServer, logDirectory, say }) {
  const fault = await findRedisServer().then(
    () => null,
    (/** @type {unknown} */ error) => (error instanceof Error ? error : new Error(String(error))),
  );
  if (fault === null) return;
  if (!(await mayInstallPackages())) throw new PlainFailure(`${fault.message}\n${REDIS_HELP}`);
  await installPackage({ name: 'redis-server', service: 'redis-server', logDirectory, say });
  await findRedisServer();
}

/**
 * By its place and not by name: the launcher's files are read before anything is installed or built.
 * @param {string} root
 * @returns {Promise<typeof import('../../../packages/core/src/redis-server/index.ts')>}
 */
export async function loadRedisServer(root) {
  /** @type {unknown} */
  const loaded = await import(path.join(root, 'packages/core/dist/redis-server/index.js'));
  return /** @type {typeof import('../../../packages/core/src/redis-server/index.ts')} */ (loaded);
}
