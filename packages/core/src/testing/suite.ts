import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import type { QueueOptions } from '../queue/queue.ts';
import { type Connection, connectRedis } from '../redis/connection.ts';
import type { TemporaryRedisServer } from '../redis-server/index.ts';
import { flushAll } from './all-nodes.ts';
import { startTestCluster, type TestCluster } from './cluster.ts';
import { Given } from './given.ts';
import { faultsOf } from './invariants.ts';
import { startTestRedis, type TestRedis, TestScheduler } from './scheduler.ts';
import { type Change, differences } from './world.ts';

export interface Bench {
  readonly scheduler: TestScheduler;
  readonly given: Given;
  /** Runs a verb and says what it changed in the whole shard. */
  changes(act: () => Promise<unknown>): Promise<Record<string, Change>>;
}

/** What every way to run Redis can do; only a single server can be killed and started again over its data. */
type AnyServer = Pick<TemporaryRedisServer, 'url' | 'pause' | 'resume'>;

export interface SchedulerSuite<Server extends AnyServer = TemporaryRedisServer> {
  readonly redis: TestRedis<Server>;
  readonly connection: Connection;
  open(options?: QueueOptions): Promise<Bench>;
  /** For tests that plant faults or stop half-way: leaves the queue out of the check after the test. */
  expectFaults(scheduler: TestScheduler): void;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** How the conformance suite is to run Redis; a project of vitest.config.ts says so. */
    redis?: 'cluster';
  }
}

/** Whether this run of the conformance suite is over a cluster. */
export const overCluster = (): boolean => inject('redis') === 'cluster';

async function startCluster(): Promise<TestRedis<TestCluster>> {
  const server = await startTestCluster(3);
  const connection = connectRedis(server.url);
  return {
    server,
    connection,
    stop: async () => {
      await connection.close();
      await server.stop();
    },
  };
}

/**
 * The suite of the promises that every way to run Redis keeps: over a single server, and in the project `core-cluster` over a
 * cluster of three masters.
 */
export function conformanceSuite(): SchedulerSuite<AnyServer> {
  return suiteOver<AnyServer>(() => (overCluster() ? startCluster() : startTestRedis()));
}

function benchOf(scheduler: TestScheduler): Bench {
  return {
    scheduler,
    given: new Given(scheduler),
    changes: async (act) => {
      const before = await scheduler.world();
      await act();
      return differences(before, await scheduler.world());
    },
  };
}

/** A Redis for one test file; after each test every queue that it opened must be sound, and is then swept away. */
export function schedulerSuite(options: { appendfsync?: 'always' | 'everysec' } = {}): SchedulerSuite {
  return suiteOver(() => startTestRedis(options));
}

function suiteOver<Server extends AnyServer>(start: () => Promise<TestRedis<Server>>): SchedulerSuite<Server> {
  let started: TestRedis<Server> | null = null;
  const redis = (): TestRedis<Server> => {
    if (started === null) throw new Error('the Redis of this file has not been started yet');
    return started;
  };
  let opened: TestScheduler[] = [];
  beforeAll(async () => {
    started = await start();
  });
  afterEach(async () => {
    const checked = opened;
    opened = [];
    const faults = (await Promise.all(checked.map(faultsOf))).flat();
    await flushAll(redis().connection.client);
    expect(faults).toEqual([]);
  });
  afterAll(() => started?.stop());
  return {
    get redis() {
      return redis();
    },
    get connection() {
      return redis().connection;
    },
    open: async (queueOptions = {}) => {
      const scheduler = await TestScheduler.open(redis().connection, queueOptions);
      opened.push(scheduler);
      return benchOf(scheduler);
    },
    expectFaults: (scheduler) => {
      opened = opened.filter((other) => other !== scheduler);
    },
  };
}
