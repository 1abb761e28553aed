import path from 'node:path';
import { GalleyError, withoutPassword } from '@galley/contract';
import {
  type Connection,
  connectRedis,
  findLayout,
  findRunningRedisServer,
  listWorkers,
  type QueueLayout,
  queueNames,
  type RegisteredWorker,
} from '@galley/core';
import type { CliConfig } from '../config.ts';
import { parseVerifyArguments, VERIFY_USAGE, type VerifyArguments } from './arguments.ts';
import { type Findings, type Judgement, judge } from './judge.ts';
import { reportLines } from './report.ts';
import { planTrial, runTrial, TRIAL_QUEUE_PREFIX } from './trial.ts';
import { watch } from './watch.ts';

const CONNECT_LIMIT_MS = 5_000;
/** Redis may restart while it is watched, but not stay away. */
const AWAY_LIMIT_MS = 5_000;
const DEFAULT_LEASE_MS = 30_000;

/** `galley verify`: 0 when every queue that was watched works in parallel and soundly, else 1. */
export async function verifyCommand(args: readonly string[], config: CliConfig): Promise<number> {
  const wanted = parseVerifyArguments(args, config);
  if (wanted === null) {
    process.stdout.write(VERIFY_USAGE);
    return 0;
  }
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new GalleyError('shutting_down', 'Stopped before there was a verdict.'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const redisUrl = await findRedis(wanted);
  const connection = connectRedis(redisUrl);
  try {
    await untilUp(connection, redisUrl);
    return await unlessGone(verify(wanted, redisUrl, connection, interrupted.signal), connection, redisUrl, interrupted.signal);
  } catch (error) {
    throw interrupted.signal.aborted ? interrupted.signal.reason : error;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await connection.close();
  }
}

async function findRedis({ redisUrl, dataDirectory }: VerifyArguments): Promise<string> {
  if (redisUrl !== undefined) return redisUrl;
  const found = await findRunningRedisServer(path.join(dataDirectory, 'redis'));
  if (found !== null) return found;
  throw new GalleyError(
    'redis_unavailable',
    `No Redis of Galley's own runs in ${dataDirectory}. Start Galley (npm start), or name its Redis with --redis or GALLEY_REDIS_URL, or its data directory with --data-dir.`,
  );
}

/** Commands would wait for a Redis that is away for ever; a person wants to be told. */
async function untilUp(connection: Connection, redisUrl: string): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  let refused = (_error: Error): void => undefined;
  const late = new Promise<never>((_, reject) => {
    // A start under way refuses too, but a command that looks at what runs need not wait for it.
    refused = (error) => {
      if (!('code' in error) || error.code !== 'ECONNREFUSED') return;
      reject(new GalleyError('redis_unavailable', `Nothing listens at ${withoutPassword(redisUrl)}: the connection was refused.`));
    };
    connection.client.on('error', refused);
    limit = setTimeout(
      () => reject(new GalleyError('redis_unavailable', `Redis at ${withoutPassword(redisUrl)} does not answer.`)),
      CONNECT_LIMIT_MS,
    );
  });
  try {
    await Promise.race([connection.client.ping(), late]);
  } finally {
    clearTimeout(limit);
    connection.client.off('error', refused);
  }
}

/** What is under way waits for Redis, so the end of waiting is told from here: interrupted, or Redis stays away. */
async function unlessGone<Value>(work: Promise<Value>, connection: Connection, redisUrl: string, signal: AbortSignal): Promise<Value> {
  let limit: NodeJS.Timeout | undefined;
  let quiet = (): void => undefined;
  const gone = new Promise<never>((_, reject) => {
    quiet = connection.onAvailability((up) => {
      clearTimeout(limit);
      if (up) return;
      const sentence = `Redis at ${withoutPassword(redisUrl)} went away while it was watched.`;
      limit = setTimeout(() => reject(new GalleyError('redis_unavailable', sentence)), AWAY_LIMIT_MS);
    });
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([work, gone]);
  } finally {
    clearTimeout(limit);
    quiet();
    // Where the other has won, what becomes of it no longer matters.
    work.catch(() => undefined);
  }
}

async function layoutsOf({ queues }: VerifyArguments, connection: Connection): Promise<QueueLayout[]> {
  const all = (await queueNames(connection)).filter((name) => !name.startsWith(TRIAL_QUEUE_PREFIX));
  const missing = queues.filter((name) => !all.includes(name));
  if (missing.length > 0 || all.length === 0) {
    const what = missing.length > 0 ? `There is no queue ${missing.join(', ')}` : 'There is no queue yet';
    throw new GalleyError('queue_not_found', `${what}; this Redis has ${all.length === 0 ? 'none' : all.join(', ')}.`);
  }
  const found = await Promise.all((queues.length > 0 ? queues : all).map((name) => findLayout(connection, name)));
  return found.filter((layout) => layout !== null);
}

async function verify(wanted: VerifyArguments, redisUrl: string, connection: Connection, signal: AbortSignal): Promise<number> {
  const layouts = await layoutsOf(wanted, connection);
  const workers = await listWorkers(connection);
  const queues = layouts.map((layout) => ({ layout, leaseMs: wanted.leaseMs ?? leaseOf(layout, workers) }));
  if (!wanted.json) process.stdout.write(`Watching ${withoutPassword(redisUrl)} for ${wanted.seconds} s ...\n`);
  const seen = await watch({ connection, queues, seconds: wanted.seconds, logDirectory: wanted.logDirectory, signal });
  const all: { findings: Findings; judgement: Judgement }[] = [];
  for (const { layout, leaseMs } of queues) {
    const own = workers.filter((worker) => worker.queues.includes(layout.queue));
    const sights = seen.of(layout.queue);
    const findings: Findings = {
      queue: layout.queue,
      seconds: wanted.seconds,
      lockKeys: layout.lockKeys,
      leaseMs,
      workers: own.length,
      slots: own.reduce((sum, worker) => sum + worker.slots, 0),
      ...sights,
      trial: await tryOut({ layout, workers: own, wanted, redisUrl, connection, signal }),
    };
    all.push({ findings, judgement: judge(findings) });
  }
  print(all, wanted.json);
  return isGood(all.map(({ judgement }) => judgement)) ? 0 : 1;
}

/** The longest lease that a worker of the queue gives its locks. */
function leaseOf({ queue }: QueueLayout, workers: readonly RegisteredWorker[]): number {
  const leases = workers.flatMap((worker) => worker.leasesMs[queue] ?? []);
  return leases.length === 0 ? DEFAULT_LEASE_MS : Math.max(...leases);
}

async function tryOut(options: {
  layout: QueueLayout;
  workers: readonly RegisteredWorker[];
  wanted: VerifyArguments;
  redisUrl: string;
  connection: Connection;
  signal: AbortSignal;
}): Promise<Findings['trial']> {
  const { layout, workers, wanted, redisUrl, connection, signal } = options;
  if (!wanted.trial) return { unseen: 'left out' };
  if (workers.length === 0) return { unseen: 'no worker serves this queue' };
  const plan = planTrial(workers.map((worker) => worker.slots));
  if (plan === null) return { unseen: 'one worker with one slot: there is nothing to compare' };
  return runTrial({ redisUrl, connection, plan, shards: layout.shards, lockKeys: layout.lockKeys, signal });
}

/** A queue without enough work says nothing for or against the others, unless there is no other. */
function isGood(judgements: readonly Judgement[]): boolean {
  const telling = judgements.filter(({ verdict }) => verdict !== 'nothing seen' && verdict !== 'too little work');
  return telling.length > 0 && telling.every(({ verdict }) => verdict === 'parallel');
}

function print(all: readonly { findings: Findings; judgement: Judgement }[], asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ queues: all.map(({ judgement }) => judgement) }, null, 2)}\n`);
    return;
  }
  for (const { findings, judgement } of all) process.stdout.write(`\n${reportLines(findings, judgement).join('\n')}\n`);
}
