import { hostname } from 'node:os';
import type { Connection } from '../redis/connection.ts';
import { workerKey, workersKey } from '../redis/keys.ts';
import type { Run } from './run.ts';
import type { WorkerOptions } from './worker-options.ts';

/** What one slot is doing. */
export interface SlotState {
  readonly taskId: string;
  readonly filename?: string;
  readonly type: string;
  readonly fence: number;
  /** Redis's clock, milliseconds: when the run was claimed. */
  readonly startedAt: number;
  /** 0–1. */
  readonly progress: number;
}

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
  readonly tasks: readonly SlotState[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly rssBytes: number;
  /** Seconds of CPU that its process has used, threads included. */
  readonly cpuSeconds: number;
  /** The longest that its event loop stood still since the last heartbeat while something ran, milliseconds. */
  readonly standstillMs: number;
  readonly version: string;
}

export interface RegisteredWorker extends WorkerState {
  /** Redis's clock. */
  readonly heartbeatAt: number;
}

/** A worker is gone from the list when it has been silent for this long. */
const REGISTRATION_MS = 15_000;

interface Presence {
  readonly workerId: string;
  readonly startedAt: number;
  readonly busy: number;
  readonly standstillMs: number;
  readonly runs: readonly Run[];
}

/** What this process says of itself now. */
export function workerState({ queues, slots, version, nameOf }: WorkerOptions, presence: Presence): WorkerState {
  const { runs, ...rest } = presence;
  const { user, system } = process.cpuUsage();
  return {
    ...rest,
    host: hostname(),
    pid: process.pid,
    queues: queues.map((queue) => queue.name),
    leasesMs: Object.fromEntries(queues.map((queue) => [queue.name, queue.settings.leaseMs])),
    slots,
    tasks: runs.map((run) => {
      const filename = nameOf?.(run);
      const { fence, startedAt } = run.row.record;
      const { id: taskId, progress } = run;
      return { taskId, type: run.message.header.type, fence, startedAt, progress, ...(filename === undefined ? {} : { filename }) };
    }),
    rssBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    version: version ?? '0.0.0',
  };
}

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

/** What a worker of an older build does not say. */
const UNSAID = { leasesMs: {}, cpuSeconds: 0, standstillMs: 0 } as const;

function readRegistration(text: string): RegisteredWorker {
  const worker = JSON.parse(text) as Omit<RegisteredWorker, keyof typeof UNSAID> & Partial<Pick<RegisteredWorker, keyof typeof UNSAID>>;
  return { ...UNSAID, ...worker };
}
