import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Stands in for a worker in tests of the launcher. It needs FAKE_WORKER_STOP_MS to finish its tasks, and notes in which order things stopped. */
const { GALLEY_DATA_DIR = '.', FAKE_WORKER_STOP_MS = '0', GALLEY_REDIS_URL = '' } = process.env;
if (process.argv.includes('--check')) process.exit(0);

const alive = setInterval(() => undefined, 60_000);
let stopping = false;

const stop = (/** @type {string} */ why) => {
  if (stopping) return;
  stopping = true;
  const redisLives = existsSync(GALLEY_REDIS_URL.replace('unix:', ''));
  setTimeout(() => {
    writeFileSync(path.join(GALLEY_DATA_DIR, `worker-${process.pid}.stopped`), JSON.stringify({ why, redisLives }));
    clearInterval(alive);
    process.exit(0);
  }, Number(FAKE_WORKER_STOP_MS));
};
process.on('SIGTERM', () => stop('SIGTERM'));
process.on('SIGINT', () => stop('SIGINT'));
process.on('disconnect', () => stop('disconnect'));
// Null instead of undefined: the launcher was killed while this program was loading.
if (process.channel === null) stop('disconnect');
console.log(JSON.stringify({ level: 30, msg: 'claiming' }));
// Last: whoever sees it may send signals.
writeFileSync(path.join(GALLEY_DATA_DIR, `worker-${process.pid}.claiming`), '');
