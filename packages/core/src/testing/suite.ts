import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { QueueOptions } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
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

export interface SchedulerSuite {
  readonly redis: TestRedis;
  readonly connection: Connection;
  open(options?: QueueOptions): Promise<Bench>;
  /** For tests that plant faults or stop half-way: leaves the queue out of the check after the test. */
  expectFaults(scheduler: TestScheduler): void;
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
  let started: TestRedis | null = null;
  const redis = (): TestRedis => {
    if (started === null) throw new Error('the Redis of this file has not been started yet');
    return started;
  };
  let opened: TestScheduler[] = [];
  beforeAll(async () => {
    started = await startTestRedis(options);
  });
  afterEach(async () => {
    const checked = opened;
    opened = [];
    const faults = (await Promise.all(checked.map(faultsOf))).flat();
    await redis().connection.client.flushall();
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
