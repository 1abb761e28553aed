import { nodeFault } from './lib/node-version.mjs';

const fault = nodeFault(process.versions.node);
if (fault === null) {
  // Imported only now: an older Node may not even parse what follows, and would say so in its own words.
  const { start } = await import('./lib/launcher/start.mjs');
  await start({ development: process.argv.includes('--dev') });
} else {
  console.error(fault);
  process.exitCode = 1;
}
