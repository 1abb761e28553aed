import { nodeFault } from './lib/node-version.mjs';

const fault = nodeFault(process.versions.node);
if (fault === null) {
  // Imported only now: an older Node may not even parse what follows, and would say so in its own words.
  const { test } = await import('./lib/checks/test.mjs');
  await test(process.argv.slice(2));
} else {
  console.error(fault);
  process.exitCode = 1;
}
