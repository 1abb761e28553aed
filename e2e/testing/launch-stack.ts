import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../scripts/lib/launcher/port.mjs';
import { Stack } from '../../scripts/lib/launcher/stack.mjs';
import { parseSettings } from '../../scripts/lib/settings.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** All of Galley, running, with a data directory of its own that goes with it. */
export interface RunningStack {
  /** What a browser opens, such as `http://127.0.0.1:7300`. */
  readonly address: string;
  readonly redisUrl: string;
  /** The server's process id; null while it is dead. It changes when the launcher starts it again. */
  serverPid(): number | null;
  stop(): Promise<void>;
}

/**
 * Starts Galley as `npm start` does, with these settings, on a free port unless one is named.
 * @throws with everything the launcher said, where it does not become ready
 */
export async function launchStack(settings: Readonly<Record<string, string>>): Promise<RunningStack> {
  const dataDirectory = await mkdtemp(path.join(os.tmpdir(), 'galley-e2e-'));
  // What a developer has set for their own Galley is not meant for this one.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GALLEY_'));
  const environment = {
    ...Object.fromEntries(inherited),
    GALLEY_PORT: String(await findFreePort()),
    GALLEY_DATA_DIR: dataDirectory,
    ...settings,
  };
  const log: string[] = [];
  const stack = new Stack({ root: ROOT, settings: parseSettings(environment, ROOT), environment, say: (line) => log.push(line) });
  const stop = async (): Promise<void> => {
    await stack.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    const address = await stack.start();
    return { address, redisUrl: stack.redisUrl ?? '', serverPid: () => stack.pids.server, stop };
  } catch (error) {
    await stop();
    throw new Error(`Galley did not start for the browser tests.\n${log.join('\n')}`, { cause: error });
  }
}
