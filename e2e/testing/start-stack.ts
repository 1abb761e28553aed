import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Stack } from '../../scripts/lib/launcher/stack.mjs';
import { parseSettings } from '../../scripts/lib/settings.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Starts all of Galley as `npm start` does, on a port and in a data directory of its own; answers what stops it.
 * Tests find it by `baseURL`, and its Redis by E2E_REDIS_URL.
 */
export default async function startStack(): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(path.join(os.tmpdir(), 'galley-e2e-'));
  // What a developer has set for their own Galley is not meant for this one.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GALLEY_'));
  const environment = {
    ...Object.fromEntries(inherited),
    GALLEY_PORT: process.env.E2E_PORT,
    GALLEY_DATA_DIR: dataDirectory,
    GALLEY_WORKERS: '2',
    GALLEY_SLOTS: '1',
    // Short, so that a test that kills a worker need not wait half a minute for its tasks to come back.
    GALLEY_LEASE_MS: '5000',
    GALLEY_GRACE_MS: '5000',
  };
  const log: string[] = [];
  const stack = new Stack({ root: ROOT, settings: parseSettings(environment, ROOT), environment, say: (line) => log.push(line) });
  const stop = async (): Promise<void> => {
    await stack.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    await stack.start();
  } catch (error) {
    await stop();
    throw new Error(`Galley did not start for the browser tests.\n${log.join('\n')}`, { cause: error });
  }
  process.env.E2E_REDIS_URL = stack.redisUrl ?? '';
  return stop;
}
