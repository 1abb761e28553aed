import path from 'node:path';
import { checkDeployment } from './lib/deployment/check-deployment.mjs';
import { runMain } from './lib/failure.mjs';

/** Checks what no engine runs here: the compose file, the Dockerfile and Prometheus's files. A folder other than the root may be named. */
await runMain(async () => {
  const faults = await checkDeployment(path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..')));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log('docker-compose.yml, Dockerfile and deploy/ are in order.');
});
