import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueueOptions } from '../queue/queue.ts';
import { recordsKey } from '../redis/keys.ts';
import { bucketOf, parseTaskId } from '../rules/ids.ts';
import { keysLike } from '../testing/all-nodes.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { conformanceSuite } from '../testing/suite.ts';
import { type Step, steps, Walk } from './walk.ts';

const suite = conformanceSuite();

async function walk(
  all: readonly Step[],
  options: QueueOptions,
  sabotage?: (scheduler: TestScheduler, step: Step) => Promise<void>,
): Promise<void> {
  const { scheduler } = await suite.open({ shards: 2, ...options });
  if (sabotage !== undefined) suite.expectFaults(scheduler);
  const own = new Walk(scheduler, sabotage);
  await own.take(all);
  if (sabotage === undefined) await own.sweep(all.length % 2 === 0 ? 'purge' : 'trim');
}

describe('any sequence of verbs by several clients, with crashes and lost replies, agrees with the model', () => {
  it.each([
    ['strict order, lock keys', { order: 'strict', lockKeys: true }],
    ['strict order, no lock keys', { order: 'strict', lockKeys: false }],
    ['aging order, lock keys', { order: 'aging', lockKeys: true }],
    ['aging order, no lock keys', { order: 'aging', lockKeys: false }],
    ['fair order, lock keys', { order: 'fair', lockKeys: true }],
    ['fair order, no lock keys', { order: 'fair', lockKeys: false }],
  ] as const)(
    'under %s',
    async (_, options) => {
      await fc.assert(
        fc.asyncProperty(steps, (all) => walk(all, options)),
        { numRuns: 40, endOnFailure: false },
      );
    },
    60_000,
  );
});

/** Finds some record of a state and rewrites its bytes. */
async function rewrite(scheduler: TestScheduler, state: number, change: (record: Buffer) => void): Promise<void> {
  for (const shard of scheduler.queue.layout.shardList) {
    for (const id of await suite.connection.client.zrange(shard.keys[state === 1 ? 'pending' : 'processing'], '0', '-1')) {
      const parsed = parseTaskId(id);
      if (parsed === null) continue;
      const key = recordsKey(shard.keys.base, bucketOf(parsed));
      const record = await suite.connection.client.hgetBuffer(key, id);
      if (record === null) continue;
      change(record);
      await suite.connection.client.hset(key, id, record);
      return;
    }
  }
}

describe('the model turns red when a rule is broken on purpose:', () => {
  it.each([
    [
      'a task is lost from the line',
      async (scheduler: TestScheduler) => void (await suite.connection.client.zpopmin(scheduler.shard.keys.pending)),
    ],
    ['a fence does not rise', (scheduler: TestScheduler) => rewrite(scheduler, 2, (record) => record.writeUInt32BE(0, 13))],
    [
      'a task jumps the line',
      async (scheduler: TestScheduler) => {
        const [id] = await suite.connection.client.zrange(scheduler.shard.keys.pending, '-1', '-1');
        if (id !== undefined) await suite.connection.client.zadd(scheduler.shard.keys.pending, -5, id);
      },
    ],
    ['a state is written over', (scheduler: TestScheduler) => rewrite(scheduler, 1, (record) => record.writeUInt8(5, 1))],
    [
      'a lock lives for ever',
      async (scheduler: TestScheduler) => {
        for (const key of await keysLike(suite.connection.client, `${scheduler.shard.keys.locks}*`))
          await suite.connection.client.persist(key);
      },
    ],
    [
      'a count drifts',
      async (scheduler: TestScheduler) => void (await suite.connection.client.hincrby(scheduler.shard.keys.counts, 'pending', 1)),
    ],
    [
      'an identity is forgotten',
      async (scheduler: TestScheduler) => {
        for (const key of await keysLike(suite.connection.client, `${scheduler.shard.keys.base}identity:*`))
          await suite.connection.client.del(key);
      },
    ],
    [
      'a child is counted twice on its parent',
      async (scheduler: TestScheduler) => {
        for (const { keys } of scheduler.queue.layout.shardList) {
          for (const key of await keysLike(suite.connection.client, `${keys.base}children:*`))
            await suite.connection.client.hincrby(key, 'completed', 1);
        }
      },
    ],
    [
      'a total falls',
      async (scheduler: TestScheduler) => void (await suite.connection.client.hincrby(scheduler.shard.keys.totals, 'submitted', -1)),
    ],
  ])(
    '%s',
    async (_, sabotage) => {
      const broken = fc.assert(
        fc.asyncProperty(steps, (all) => walk(all, {}, (scheduler) => sabotage(scheduler))),
        { numRuns: 40, endOnFailure: true, seed: 7 },
      );
      await expect(broken).rejects.toThrow('Property failed');
    },
    60_000,
  );
});

it('the model turns red when something is left behind on purpose', async () => {
  const { scheduler } = await suite.open({ shards: 2 });
  suite.expectFaults(scheduler);
  const own = new Walk(scheduler);
  await own.take([{ verb: 'submit', pick: 0, worker: 'w1', detail: 1 }]);
  await suite.connection.client.rpush(`${scheduler.shard.keys.base}events:of nobody`, '{}');
  await expect(own.sweep('purge')).rejects.toThrow('to deeply equal []');
});
