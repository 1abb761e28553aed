import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { findRedisServer } from '../redis-server/find-redis-server.ts';
import { until } from './scheduler.ts';

/** A small Redis Cluster on loopback, masters alone. */
export interface TestCluster {
  /** A comma-separated list, as `connectRedis` takes it. */
  readonly url: string;
  readonly nodes: readonly Redis[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

function startNode(program: string, directory: string, port: number, busPort: number): ChildProcess {
  const options = { port, 'cluster-port': busPort, bind: '127.0.0.1', dir: directory, save: '', appendonly: 'no' };
  const cluster = { 'cluster-enabled': 'yes', 'cluster-node-timeout': 2_000, 'cluster-config-file': `nodes-${port}.conf` };
  const flags = Object.entries({ ...options, ...cluster }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawn(program, flags, { stdio: 'ignore' });
}

/** Starts `masters` nodes, gives each its share of the slots, and waits until all agree. */
export async function startTestCluster(masters: number): Promise<TestCluster> {
  const program = await findRedisServer();
  const directory = await mkdtemp('/tmp/galley-cluster-');
  const ports = [];
  for (let index = 0; index < masters; index++) ports.push({ port: await freePort(), busPort: await freePort() });
  const children = ports.map(({ port, busPort }) => startNode(program.path, directory, port, busPort));
  const nodes = ports.map(
    ({ port }) => new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null, enableReadyCheck: false }),
  );
  for (const node of nodes) node.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    for (const node of nodes) node.disconnect();
    await Promise.all(
      children.map(async (child) => {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }),
    );
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (const [index, node] of nodes.entries()) {
      const [from, to] = [Math.ceil((SLOTS * index) / masters), Math.ceil((SLOTS * (index + 1)) / masters) - 1];
      await node.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    }
    for (const node of nodes.slice(1)) await node.call('CLUSTER', 'MEET', '127.0.0.1', String(ports[0]?.port), String(ports[0]?.busPort));
    for (const node of nodes) {
      await until('the cluster agrees', async () => {
        const info = String(await node.call('CLUSTER', 'INFO'));
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${masters}`);
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: ports.map(({ port }) => `redis://127.0.0.1:${port}`).join(','), nodes, stop };
}
