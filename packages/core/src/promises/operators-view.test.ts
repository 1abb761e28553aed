import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Queue } from '../queue/queue.ts';
import { gates } from '../testing/gate-handlers.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { inProcess } from '../worker/executor.ts';
import { Worker } from '../worker/worker.ts';

const LEASE_MS = 1_500;
const SLOTS = 16;

/** The lines of docs/redis-keys.md, for a Redis on a socket. */
const page = readFileSync(new URL('../../../../docs/redis-keys.md', import.meta.url), 'utf8');
const [, block = ''] = /## Looking at a running system\n\n```sh\n([^`]+)```/.exec(page) ?? [];
const lines = block.trim().split('\n');

const suite = schedulerSuite();
let gate: ReturnType<typeof gates>;
let worker: Worker;

async function inShell(line: string): Promise<string> {
  const command = line.replaceAll('redis-cli', `redis-cli -s ${suite.redis.server.socketPath}`);
  // `timeout` ends MONITOR with 124, which the pipe's last command does not pass on.
  return (await promisify(execFile)('bash', ['-c', command])).stdout.trim();
}

describe('what an operator sees with redis-cli alone', () => {
  beforeEach(async () => {
    gate = gates();
    const queue = await Queue.open(suite.connection, 'ocr', { settings: { leaseMs: LEASE_MS } });
    worker = new Worker({ connection: suite.connection, queues: [queue], executor: inProcess(gate.handlers), slots: SLOTS });
    await Promise.all(Array.from({ length: SLOTS }, () => queue.submit('work', null)));
    await worker.start();
    await until('all slots are busy', () => Promise.resolve(gate.running.size === SLOTS));
  });
  afterEach(() => worker.stop(0));

  it('is three lines, as documented', () => {
    expect(lines).toHaveLength(3);
  });

  it('the first counts lock keys: as many as tasks run', async () => {
    expect(await inShell(lines[0] ?? '')).toBe(String(SLOTS));
  });

  it('the second prints a line for each shard at work', async () => {
    const seen = await inShell((lines[1] ?? '').replace('timeout 10', 'timeout 2'));
    expect(seen.split('\n')).toEqual(Array.from({ length: 8 }, (_, shard) => `lock:job:ocr-shard-0${shard}`));
  });

  it('the third shows a TTL between 0 and the lease, for every task that runs', async () => {
    for (const id of gate.running.keys()) {
      const line = (lines[2] ?? '').replaceAll('shard-03', `shard-${id.split('-')[1]}`).replace('<task id>', id);
      const ttl = Number(await inShell(line));
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(LEASE_MS);
    }
  });
});
