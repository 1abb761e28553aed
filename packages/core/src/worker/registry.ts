import type { Connection } from '../redis/connection.ts';
import { workerKey, workersKey } from '../redis/keys.ts';

/** What a worker says of itself with each heartbeat. */
export interface WorkerState {
  readonly workerId: string;
  readonly host: string;
  readonly pid: number;
  readonly queues: readonly string[];
  /** Milliseconds that a lease of each queue has. */
  readonly leasesMs: Readonly<Record<string, number>>;
  readonly slots: number;
  readonly busy: number;
  readonly tasks: readonly { readonly taskId: string; readonly filename?: string }[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly rssBytes: number;
  readonly version: string;
}

export interface RegisteredWorker extends WorkerState {
  /** Redis's clock. */
  readonly heartbeatAt: number;
}

export const HEARTBEAT_MS = 1_000;
/** A worker is gone from the list when it has been silent for this long. */
const REGISTRATION_MS = 15_000;

export async function register(connection: Connection, state: WorkerState): Promise<void> {
  const [seconds, microseconds] = await connection.client.time();
  const now = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  await Promise.all([
    connection.client.set(workerKey(state.workerId), JSON.stringify({ ...state, heartbeatAt: now }), 'PX', REGISTRATION_MS),
    connection.client.zadd(workersKey, now, state.workerId),
  ]);
}

export async function deregister(connection: Connection, workerId: string): Promise<void> {
  await Promise.all([connection.client.del(workerKey(workerId)), connection.client.zrem(workersKey, workerId)]);
}

/** Workers heard of lately, longest-lived first; the silent are taken off the list. */
export async function listWorkers(connection: Connection): Promise<RegisteredWorker[]> {
  const ids = await connection.client.zrange(workersKey, '0', '-1');
  const stored = await Promise.all(ids.map((id) => connection.client.get(workerKey(id))));
  const silent = ids.filter((_, index) => stored[index] === null);
  if (silent.length > 0) await connection.client.zrem(workersKey, ...silent);
  return stored
    .flatMap((text) => (typeof text === 'string' ? [readRegistration(text)] : []))
    .sort((a, b) => a.startedAt - b.startedAt || (a.workerId < b.workerId ? -1 : 1));
}

function readRegistration(text: string): RegisteredWorker {
  const worker = JSON.parse(text) as Omit<RegisteredWorker, 'leasesMs'> & Partial<Pick<RegisteredWorker, 'leasesMs'>>;
  // A worker of an older build does not say its leases.
  return { ...worker, leasesMs: worker.leasesMs ?? {} };
}
