import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ensureDependencies } from '../dependencies.mjs';
import { PlainFailure, runMain } from '../failure.mjs';
import { describeCounts, runSteps } from './run-steps.mjs';
import { testSteps } from './steps.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/**
 * Sets up what tests need and runs every check, or those that are named.
 * @param {readonly string[]} names
 */
export async function test(names) {
  await runMain(async () => {
    const say = (/** @type {string} */ line) => console.log(line);
    // Kept, unlike the reports: what is told of a failed installation names a file here.
    const logDirectory = path.join(ROOT, 'data/logs');
    const workDirectory = await mkdtemp(path.join(os.tmpdir(), 'galley-test-'));
    try {
      await ensureDependencies({ root: ROOT, logDirectory, say });
      const steps = testSteps({ root: ROOT, workDirectory, logDirectory, say });
      const known = steps.map((step) => step.name);
      const unknown = names.filter((name) => !known.includes(name));
      if (unknown.length > 0) throw new PlainFailure(`There is no check named ${unknown.join(', ')}; there are ${known.join(', ')}.`);
      const total = await runSteps(names.length === 0 ? steps : steps.filter((step) => names.includes(step.name)), say);
      say(describeCounts(total));
      if (total.failed > 0) process.exitCode = 1;
    } finally {
      await rm(workDirectory, { recursive: true, force: true });
    }
  });
}
