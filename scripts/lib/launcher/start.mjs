import path from 'node:path';
import { ensureBuilt } from '../build.mjs';
import { makeDataDirectory } from '../data-directory.mjs';
import { ensureDependencies } from '../dependencies.mjs';
import { runMain } from '../failure.mjs';
import { parseSettings } from '../settings.mjs';
import { startDevelopment } from './development.mjs';
import { Stack } from './stack.mjs';
import { stopOnSignals } from './stop-signals.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/**
 * Sets up and runs all of Galley until it is told to stop.
 * @param {{ development: boolean }} options
 */
export async function start({ development }) {
  await runMain(async () => {
    const say = (/** @type {string} */ line) => console.log(line);
    const settings = parseSettings(process.env, ROOT);
    await makeDataDirectory(settings.dataDirectory);
    const logDirectory = path.join(settings.dataDirectory, 'logs');
    await ensureDependencies({ root: ROOT, logDirectory, say });
    await ensureBuilt({ root: ROOT, logDirectory, say });
    const stack = new Stack({ root: ROOT, settings, environment: process.env, say });
    /** @type {{ stop(): Promise<void> } | null} */
    let tools = null;
    try {
      await stopOnSignals(stack, say, async () => {
        const address = await stack.start();
        if (development) tools = startDevelopment({ root: ROOT, stack, say });
        say(`Galley is ready at ${address}`);
      });
    } finally {
      await /** @type {{ stop(): Promise<void> } | null} */ (tools)?.stop();
    }
    say('Galley has stopped.');
  });
}
