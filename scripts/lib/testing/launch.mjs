import path from 'node:path';
import { runMain } from '../failure.mjs';
import { Stack } from '../launcher/stack.mjs';
import { stopOnSignals } from '../launcher/stop-signals.mjs';
import { parseSettings } from '../settings.mjs';

/** A launcher over the fake programs, in a process of its own, for tests that kill it or send it signals. */
const ROOT = path.resolve(import.meta.dirname, '../../..');
const say = (/** @type {string} */ line) => console.log(line);

await runMain(async () => {
  const settings = parseSettings(process.env, ROOT);
  const programs = {
    server: path.join(import.meta.dirname, 'fake-server.mjs'),
    worker: path.join(import.meta.dirname, 'fake-worker.mjs'),
  };
  const stack = new Stack({ root: ROOT, settings, environment: process.env, say, programs });
  await stopOnSignals(stack, say, async () => {
    const address = await stack.start();
    say(JSON.stringify({ address, pids: stack.pids }));
  });
});
