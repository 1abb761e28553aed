import { readdirSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';

/** Stands in for the server in tests of the launcher: answers /readyz, lists the workers that have reported, and stops as the real one must. */
const { GALLEY_HOST, GALLEY_PORT, GALLEY_REDIS_URL, GALLEY_DATA_DIR = '.', GALLEY_WORKERS } = process.env;
const { FAKE_SETTINGS_FAULT, FAKE_SERVER_FAULT, FAKE_SERVER_EXIT = '1', FAKE_NEVER_READY, FAKE_TOKENS } = process.env;
const log = (/** @type {object} */ entry) => console.log(JSON.stringify({ level: 30, ...entry }));

if (process.argv.includes('--check')) {
  if (FAKE_SETTINGS_FAULT !== undefined) console.error(FAKE_SETTINGS_FAULT);
  process.exit(FAKE_SETTINGS_FAULT === undefined ? 0 : 2);
}
if (FAKE_SERVER_FAULT !== undefined) {
  log({ level: 60, msg: 'cannot start', err: { message: FAKE_SERVER_FAULT } });
  process.exit(Number(FAKE_SERVER_EXIT));
}

/** Every worker writes a file named after its process once it works. */
function listWorkers() {
  const pids = readdirSync(GALLEY_DATA_DIR).flatMap((name) => /^worker-(\d+)\.claiming$/.exec(name)?.[1] ?? []);
  return pids.map((pid) => ({ host: os.hostname(), pid: Number(pid) }));
}

const server = http.createServer(({ url }, response) => {
  if (FAKE_NEVER_READY !== undefined) response.writeHead(503).end();
  else if (url === '/readyz')
    response.end(JSON.stringify({ redis: GALLEY_REDIS_URL, data: GALLEY_DATA_DIR, workers: GALLEY_WORKERS ?? null }));
  else if (FAKE_TOKENS !== undefined) response.writeHead(401).end();
  else response.end(JSON.stringify({ workers: listWorkers() }));
});
const stop = (/** @type {string} */ why) => {
  log({ msg: `stopping: ${why}` });
  server.close(() => process.exit(0));
  server.closeAllConnections();
};
process.on('SIGTERM', () => stop('SIGTERM'));
process.on('SIGINT', () => stop('SIGINT'));
process.on('disconnect', () => stop('disconnect'));
server.listen(Number(GALLEY_PORT), GALLEY_HOST, () => log({ level: 40, msg: 'a warning for the terminal' }));
// Null instead of undefined: the launcher was killed while this program was loading.
if (process.channel === null) stop('disconnect');
