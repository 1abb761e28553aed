import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { findRedisServer } from '../redis-server/find-redis-server.ts';
import { until } from './scheduler.ts';

export interface TestClusterNode {
  readonly client: Redis;
  readonly port: number;
  kill9(): Promise<void>;
}

/** A small Redis Cluster on loopback, with the faults that tests need. */
export interface TestCluster {
  /** A comma-separated list, as `connectRedis` takes it. */
  readonly url: string;
  /** Masters first; where there are replicas, each as far behind them as its master stands. */
  readonly nodes: readonly TestClusterNode[];
  /** Freezes all of it: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Moves a slot with its keys to another master, as `redis-cli --cluster reshard` does. */
  migrate(slot: number, from: TestClusterNode, to: TestClusterNode): Promise<void>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const HOST = '127.0.0.1';
const KEYS_PER_STEP = 100;

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

class Node implements TestClusterNode {
  readonly client: Redis;
  readonly port: number;
  readonly busPort: number;
  private readonly child: ChildProcess;

  constructor(program: string, directory: string, ports: { port: number; busPort: number }, timeoutMs: number) {
    const { port, busPort } = ports;
    const options = { port, 'cluster-port': busPort, bind: HOST, dir: directory, save: '', appendonly: 'no' };
    const cluster = { 'cluster-enabled': 'yes', 'cluster-node-timeout': timeoutMs, 'cluster-config-file': `nodes-${port}.conf` };
    const flags = Object.entries({ ...options, ...cluster, 'repl-diskless-sync-delay': 0 }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    this.child = spawn(program, flags, { stdio: 'ignore' });
    this.port = port;
    this.busPort = busPort;
    this.client = new Redis(port, HOST, { retryStrategy: () => 20, maxRetriesPerRequest: null, enableReadyCheck: false });
    this.client.on('error', () => undefined);
  }

  async id(): Promise<string> {
    return String(await this.client.call('CLUSTER', 'MYID'));
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  async kill9(): Promise<void> {
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }
}

async function agree(nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) {
    await until('the cluster agrees', async () => {
      const info = String(await node.client.call('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
    });
  }
}

async function join(nodes: readonly Node[], masters: number): Promise<void> {
  for (const [index, node] of nodes.slice(0, masters).entries()) {
    const [from, to] = [Math.ceil((SLOTS * index) / masters), Math.ceil((SLOTS * (index + 1)) / masters) - 1];
    await node.client.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
  }
  const [first] = nodes;
  for (const node of nodes.slice(1)) await node.client.call('CLUSTER', 'MEET', HOST, String(first?.port), String(first?.busPort));
  await agree(nodes);
  for (const [index, replica] of nodes.slice(masters).entries()) {
    const master = nodes[index % masters];
    await replica.client.call('CLUSTER', 'REPLICATE', (await master?.id()) ?? '');
    await until('the replica follows', async () => (await replica.client.info('replication')).includes('master_link_status:up'));
  }
}

async function migrate(masters: readonly Node[], slot: number, from: Node, to: Node): Promise<void> {
  const [fromId, toId] = [await from.id(), await to.id()];
  await to.client.call('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', fromId);
  await from.client.call('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', toId);
  for (;;) {
    const keys = await from.client.call('CLUSTER', 'GETKEYSINSLOT', String(slot), String(KEYS_PER_STEP));
    if (!Array.isArray(keys) || keys.length === 0) break;
    await from.client.call('MIGRATE', HOST, String(to.port), '', '0', '5000', 'KEYS', ...keys.map(String));
  }
  for (const node of [to, from, ...masters.filter((other) => other !== to && other !== from)])
    await node.client.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', toId);
}

/** Starts `masters` nodes, and a replica for each where asked to, gives each its share of the slots, and waits until all agree. */
export async function startTestCluster(
  masters: number,
  { replicas = false, timeoutMs = 2_000 }: { replicas?: boolean; timeoutMs?: number } = {},
): Promise<TestCluster> {
  const program = await findRedisServer();
  const directory = await mkdtemp('/tmp/galley-cluster-');
  const nodes: Node[] = [];
  const killAtExit = (): void => {
    for (const node of nodes) void node.kill9();
  };
  process.once('exit', killAtExit);
  const stop = async (): Promise<void> => {
    process.off('exit', killAtExit);
    for (const node of nodes) node.client.disconnect();
    await Promise.all(nodes.map((node) => node.kill9()));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < masters * (replicas ? 2 : 1); index++)
      nodes.push(new Node(program.path, directory, { port: await freePort(), busPort: await freePort() }, timeoutMs));
    await join(nodes, masters);
  } catch (error) {
    await stop();
    throw error;
  }
  const nodeOf = ({ port }: TestClusterNode): Node => {
    const node = nodes.find((other) => other.port === port);
    if (node === undefined) throw new Error(`no node of this cluster listens on ${port}`);
    return node;
  };
  return {
    url: nodes.map(({ port }) => `redis://${HOST}:${port}`).join(','),
    nodes,
    pause: () => nodes.forEach((node) => node.signal('SIGSTOP')),
    resume: () => nodes.forEach((node) => node.signal('SIGCONT')),
    migrate: (slot, from, to) => migrate(nodes.slice(0, masters), slot, nodeOf(from), nodeOf(to)),
    stop,
  };
}
