import { GalleyError } from '@galley/contract';
import { pino } from 'pino';
import { type Config, parseConfig, redacted } from './config.ts';
import { startServer } from './server.ts';
import { VERSION } from './system/version.ts';

/** A setting or an address is at fault: starting again as it is helps nobody. */
const EXIT_MISCONFIGURED = 2;
/** Past this something hangs; the launcher would kill us anyway. */
const LAST_RESORT_MS = 15_000;

function refuseToStart(error: unknown): void {
  const sentence = error instanceof GalleyError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`Galley's server does not start: ${sentence}\n`);
  process.exitCode = EXIT_MISCONFIGURED;
  if (process.connected) process.disconnect();
}

async function main(): Promise<void> {
  let config: Config;
  try {
    config = parseConfig();
  } catch (error) {
    refuseToStart(error);
    return;
  }
  const logger = pino({ level: config.logLevel, base: { program: 'server', pid: process.pid } });
  logger.info({ version: VERSION, config: redacted(config) }, 'starting');
  const server = await startServer(config, logger).catch((error: unknown) => {
    refuseToStart(error);
    return null;
  });
  if (server === null) return;
  logger.info({ address: server.address }, 'listening');

  let stopping = false;
  const stop = (cause: string): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ cause }, 'stopping');
    const lastResort = setTimeout(() => {
      logger.error({}, 'something did not stop in time; ending without it');
      process.exit(1);
    }, LAST_RESORT_MS);
    // Everything is closed by now, so the process ends by itself.
    lastResort.unref();
    server.stop().then(
      () => {
        logger.info({}, 'stopped');
        if (process.connected) process.disconnect();
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exitCode = 1;
      },
    );
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  // The launcher holds the other end: when it dies without a word, so do we, in order.
  if (process.channel !== undefined) process.once('disconnect', () => stop('the launcher is gone'));
  await server.opened.catch((error: unknown) => {
    if (stopping) return;
    refuseToStart(error);
    stop('this Redis cannot be used');
  });
}

await main();
