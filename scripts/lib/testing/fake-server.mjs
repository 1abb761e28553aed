import http from 'node:http';

/** Stands in for the server in tests of the launcher: answers /readyz and stops as the real one must. */
const { GALLEY_HOST, GALLEY_PORT, GALLEY_REDIS_URL, GALLEY_DATA_DIR, GALLEY_WORKERS, FAKE_SERVER_FAULT } = process.env;
const log = (/** @type {object} */ entry) => console.log(JSON.stringify({ level: 30, ...entry }));

if (FAKE_SERVER_FAULT !== undefined) {
  log({ level: 60, msg: 'cannot start', err: { message: FAKE_SERVER_FAULT } });
  process.exit(1);
}

const server = http.createServer((_, response) => {
  response.end(JSON.stringify({ redis: GALLEY_REDIS_URL, data: GALLEY_DATA_DIR, workers: GALLEY_WORKERS ?? null }));
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
