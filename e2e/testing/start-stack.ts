import { launchStack } from './launch-stack.ts';

/**
 * Starts the stack that most tests share; answers what stops it. Tests find it by `baseURL`, and its Redis by E2E_REDIS_URL.
 */
export default async function startStack(): Promise<() => Promise<void>> {
  const stack = await launchStack({
    GALLEY_PORT: process.env.E2E_PORT ?? '',
    GALLEY_WORKERS: '2',
    GALLEY_SLOTS: '1',
    // Short, so that a test that kills a worker need not wait half a minute for its tasks to come back.
    GALLEY_LEASE_MS: '5000',
    GALLEY_GRACE_MS: '5000',
    // Tests serve pictures from this machine.
    GALLEY_URL_ALLOW: '127.0.0.1',
  });
  process.env.E2E_REDIS_URL = stack.redisUrl;
  return stack.stop;
}
