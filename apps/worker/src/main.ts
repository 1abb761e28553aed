import { readFileSync } from 'node:fs';
import { GalleyError } from '@galley/contract';
import * as z from 'zod/mini';
import { readConfig, redacted, type WorkerConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { listenForStop } from './process/stop-requests.ts';
import { WorkerProcess } from './process/worker-process.ts';

/** After its grace a stop takes moments, unless Redis is away: then the leases run out by themselves and others take over. */
const LAST_RESORT_MS = 4_000;
/** A setting is at fault: starting again as it is helps nobody, and the launcher does not. */
const EXIT_MISCONFIGURED = 2;
const EXIT_FAILED = 1;

/** What a person can mend ends in one sentence; what nobody foresaw keeps its stack. */
function inWords(error: unknown): string {
  if (error instanceof GalleyError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function endWith(error: unknown, exitCode = EXIT_FAILED): never {
  process.stderr.write(`Galley's worker cannot run: ${inWords(error)}\n`);
  process.exit(exitCode);
}

/** With `--check` the settings are only read: what is wrong with them goes to standard error as it stands. */
function readSettings(): WorkerConfig | null {
  const checking = process.argv.includes('--check');
  try {
    const config = readConfig();
    return checking ? null : config;
  } catch (error) {
    if (!checking) endWith(error, EXIT_MISCONFIGURED);
    process.stderr.write(`${inWords(error)}\n`);
    process.exitCode = EXIT_MISCONFIGURED;
    return null;
  }
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

async function run(config: WorkerConfig): Promise<void> {
  const logger = createLogger(config);
  const version = readVersion();
  logger.info({ version, config: redacted(config) }, 'worker starts');
  const worker = new WorkerProcess({
    config,
    logger,
    version,
    handlersUrl: new URL('./handlers.js', import.meta.url).href,
    // Started again, by the launcher, it loads them anew, or says why it cannot.
    onBroken: (why) => void worker.stop(0).finally(() => endWith(why)),
  });
  listenForStop(({ reason, hurried }) => {
    const graceMs = hurried ? 0 : config.graceMs;
    logger.info({ event: 'worker stops', reason, graceMs }, 'worker stops');
    setTimeout(() => {
      logger.error('the worker could not stop in order; its leases will run out and others will take its tasks');
      // An exit would wait for threads that may be what hangs.
      process.kill(process.pid, 'SIGKILL');
    }, graceMs + LAST_RESORT_MS).unref();
    worker.stop(graceMs).catch((error: unknown) => endWith(error));
  });
  await worker.start();
}

try {
  const config = readSettings();
  if (config !== null) await run(config);
} catch (error) {
  endWith(error);
}
