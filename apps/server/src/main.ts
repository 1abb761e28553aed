import { GalleyError } from '@galley/contract';
import { pino } from 'pino';
import { type Config, parseConfig, redacted } from './config.ts';
import { startServer } from './server.ts';
import { readTokens } from './session/token-source.ts';
import { VERSION } from './system/version.ts';

/** A setting or an address is at fault: starting again as it is helps nobody, and the launcher does not. */
const EXIT_MISCONFIGURED = 2;
const EXIT_FAILED = 1;
/** Past this something hangs; the launcher would kill us anyway. */
const LAST_RESORT_MS = 15_000;

function refuseToStart(error: unknown): void {
  process.stderr.write(`Galley's server does not start: ${inWords(error)}\n`);
  process.exitCode = error instanceof GalleyError && error.code === 'invalid_request' ? EXIT_MISCONFIGURED : EXIT_FAILED;
  if (process.connected) process.disconnect();
}

function inWords(error: unknown): string {
  if (error instanceof GalleyError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** `--check`: says on standard error what is wrong with the settings, the file of tokens included, and starts nothing. */
async function checkSettings(): Promise<void> {
  try {
    await readTokens(parseConfig());
  } catch (error) {
    process.stderr.write(`${inWords(error)}\n`);
    process.exitCode = EXIT_MISCONFIGURED;
  }
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
  // Null instead of undefined: there was a channel, and it closed while this program was loading.
  if (process.channel === null) stop('the launcher is gone');
  await server.opened.catch((error: unknown) => {
    if (stopping) return;
    refuseToStart(error);
    stop('this Redis cannot be used');
  });
}

await (process.argv.includes('--check') ? checkSettings() : main());
