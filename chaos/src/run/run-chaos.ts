import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, connectRedis, Queue, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import type { Evidence } from '../check/evidence.ts';
import { readFinalState } from '../check/final-state.ts';
import { FaultProxy } from '../faults/fault-proxy.ts';
import { Injector } from '../faults/injector.ts';
import { LockSampler } from '../faults/lock-sampler.ts';
import { watchRedis } from '../faults/redis-watch.ts';
import type { HistoryEvent } from '../history/events.ts';
import { readHistory } from '../history/reader.ts';
import { watchStalls } from '../history/stall-watch.ts';
import { HistoryWriter } from '../history/writer.ts';
import type { SabotageName } from '../sabotage/sabotages.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { type Cast, castOf } from './cast.ts';
import { type Patience, reviveAll, untilAtRest } from './rest.ts';
import { SETTING } from './setting.ts';

export interface ChaosOptions {
  readonly schedule: Schedule;
  readonly sabotage: SabotageName | null;
  /** Whether tasks keep timelines. They prove more of a run, and without them the scripts' quick paths are taken. */
  readonly timelines: boolean;
  /** Whether all dead letters are retried once at the end, as they are in earnest. */
  readonly retryDead: boolean;
  /** For what was begun, when nothing is hurt any more. */
  readonly patience: Patience;
  readonly say: (line: string) => void;
  /** Keeps the history's folder and says where it is. */
  readonly keep: boolean;
}

const SAMPLE_MS = 500;
const READY_MS = 90_000;
/** Processes of a machine that is busy need a while to end. */
const RETIRE_MS = 15_000;

/** Does what the schedule says to a system of real processes, and brings back what everybody saw. */
export async function runChaos(options: ChaosOptions): Promise<Evidence> {
  // Not os.tmpdir(): a runner may set TMPDIR to a path too long for a socket.
  const directory = await mkdtemp('/tmp/galley-chaos-');
  const history = new HistoryWriter(directory, 'main');
  const stopWatching = watchStalls(history);
  const redis = await startTemporaryRedisServer({ appendfsync: 'always' });
  const connection = connectRedis(redis.url);
  const stopAsking = watchRedis(connection, new HistoryWriter(directory, 'redis'));
  const proxy = new FaultProxy(redis.socketPath);
  let cast: Cast | null = null;
  let startedAt = 0;
  try {
    const { shards, queue: name, ...settings } = SETTING;
    const queue = await Queue.open(connection, name, { shards, settings: { ...settings, timelines: options.timelines } });
    const { schedule, sabotage, timelines } = options;
    cast = await castOf({ schedule, sabotage, timelines, directory, history, proxy, startedAt: () => startedAt });
    await inTime('the workers serve', READY_MS, Promise.all(cast.serving.map((member) => member.start())));
    startedAt = Date.now();
    const atRest = await act(options, { cast, queue, connection, redis, proxy, history, startedAt });
    stopWatching();
    const events = await readHistory(directory);
    const final = await readFinalState(connection, queue.layout, tasksTold(events));
    return { history: events, final, atRest, setting: SETTING };
  } finally {
    for (const member of cast?.all.values() ?? []) member.kill();
    stopWatching();
    stopAsking();
    await proxy.close();
    await connection.close();
    await redis.stop();
    if (options.keep) options.say(`the history lies in ${path.resolve(directory)}`);
    else await rm(directory, { recursive: true, force: true });
  }
}

interface Stage {
  readonly cast: Cast;
  readonly queue: Queue;
  readonly connection: Connection;
  readonly redis: TemporaryRedisServer;
  readonly proxy: FaultProxy;
  readonly history: HistoryWriter;
  readonly startedAt: number;
}

/** Whether everything that was begun has ended. */
async function act({ schedule, retryDead, patience, say }: ChaosOptions, stage: Stage): Promise<boolean> {
  const { cast, queue, connection, redis, proxy, history, startedAt } = stage;
  const sampler = new LockSampler(connection, history);
  sampler.start(SAMPLE_MS);
  const injector = new Injector({ members: cast.all, proxy, redis, connection }, history);
  const faults = injector.inject(schedule.faults, startedAt);
  await Promise.all([faults, ...cast.producers.map(async (producer) => producer.start())]);
  await inTime('the producers have finished', patience.mostMs, Promise.all(cast.producers.map((producer) => producer.until('finished'))));
  say('faults and work are over; waiting for everything to end');
  const atRest = await comeToRest(queue, history, retryDead, patience);
  await sampler.stop();
  await Promise.all(
    [...cast.serving].map(async (member) => {
      const how = await member.retire(RETIRE_MS);
      if (how === 'killed') history.write({ event: 'process outstayed', process: member.name });
    }),
  );
  return atRest;
}

/** Everything ends, dead letters are tried once more, and then it stays at rest for as long as a forgotten lease would need. */
async function comeToRest(queue: Queue, history: HistoryWriter, retryDead: boolean, patience: Patience): Promise<boolean> {
  if (!(await untilAtRest(queue, patience))) return false;
  if (retryDead) {
    await reviveAll(queue, history);
    if (!(await untilAtRest(queue, patience))) return false;
  }
  await delay(SETTING.leaseMs + 2 * SETTING.reaperMs);
  return untilAtRest(queue, patience);
}

/** Every task that somebody was told of. */
function tasksTold(events: readonly HistoryEvent[]): string[] {
  return [...new Set(events.flatMap((event) => ('task' in event ? [event.task] : [])))];
}

async function inTime(what: string, withinMs: number, promise: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = delay(withinMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`not within ${withinMs} ms: ${what}`);
  });
  // Whoever is awaited first decides; the other must not count as unhandled.
  late.catch(() => undefined);
  promise.catch(() => undefined);
  try {
    await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}
