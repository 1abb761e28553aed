import { readFileSync } from 'node:fs';
import { GalleyError } from '@galley/contract';
import * as z from 'zod/mini';
import { readConfig, redacted, type WorkerConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { listenForStop } from './process/stop-requests.ts';
import { WorkerProcess } from './process/worker-process.ts';

/** After its grace a stop takes moments, unless Redis is away: then the leases run out by themselves and others take over. */
const LAST_RESORT_MS = 4_000;

/** What a person can mend ends in one sentence; what nobody foresaw keeps its stack. */
function endWith(error: unknown): never {
  const text = error instanceof GalleyError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`Galley's worker cannot run: ${text}\n`);
  process.exit(1);
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

async function run(config: WorkerConfig): Promise<void> {
  const logger = createLogger(config);
  const version = readVersion();
  logger.info({ version, config: redacted(config) }, 'worker starts');
  const worker = new WorkerProcess({ config, logger, version, handlersUrl: new URL('./handlers.js', import.meta.url).href });
  listenForStop(({ reason, hurried }) => {
    const graceMs = hurried ? 0 : config.graceMs;
    logger.info({ event: 'worker stops', reason, graceMs }, 'worker stops');
    setTimeout(() => {
      logger.error('the worker could not stop in order; its leases will run out and others will take its tasks');
      // An exit would wait for threads that may be what hangs.
      process.kill(process.pid, 'SIGKILL');
    }, graceMs + LAST_RESORT_MS).unref();
    worker.stop(graceMs).catch(endWith);
  });
  await worker.start();
}

try {
  await run(readConfig());
} catch (error) {
  endWith(error);
}
