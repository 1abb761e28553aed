import { afterEach, describe, expect, it } from 'vitest';
import { feedChannel, operationChannel } from '../redis/keys.ts';
import { failAll } from '../testing/batches.ts';
import { plantDeadLetters } from '../testing/plant-dead-letters.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';
import { deadLetterPlan } from './dead-letters.ts';
import { Operations } from './operations.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
const opened: Operations[] = [];

afterEach(async () => {
  await workshop.sweep();
  await Promise.all(opened.splice(0).map((operations) => operations.stop()));
});

function begin(): Operations {
  const operations = new Operations(suite.connection);
  opened.push(operations);
  return operations;
}

type Scheduler = Awaited<ReturnType<typeof suite.open>>['scheduler'];

async function dead(scheduler: Scheduler, count: number, code = 'upstream_failed'): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => scheduler.queue.submit('work', null)));
  for (const shard of scheduler.queue.layout.shardList) {
    for (;;) {
      const { tasks } = await scheduler.claim('w1', { shard, limit: 100 });
      if (tasks.length === 0) break;
      await Promise.all(tasks.map((task) => scheduler.fail('w1', task.id, task.record.fence, { class: 'permanent', code })));
    }
  }
}

async function ended(operations: Operations, id: string) {
  return until('the operation has ended', async () => {
    const operation = await operations.get(id);
    return operation?.state === 'running' ? null : operation;
  });
}

describe('an operation over dead letters', () => {
  it('revives all that were dead when it began, in bounded steps with progress, while work goes on', async () => {
    const { scheduler } = await suite.open({ shards: 4 });
    await dead(scheduler, 1_000);
    const plan = await deadLetterPlan(scheduler.queue, 'retry', undefined, async (ids) =>
      (await scheduler.queue.revive(ids)).map((word) => word === 'revived'),
    );
    expect(plan.total).toBe(1_000);
    // What dies while the operation runs is not part of it.
    const shard = scheduler.shard;
    const late = await scheduler.queue.submit('work', null, { priority: 1 });
    const progress: number[] = [];
    const subscriber = suite.connection.subscriber();
    subscriber.on('message', (_, text: string) => progress.push((JSON.parse(text) as { done: number }).done));
    await subscriber.subscribe(operationChannel);
    const operations = begin();
    const operation = await ended(operations, await operations.begin(plan));
    subscriber.disconnect();
    expect(operation).toMatchObject({ state: 'done', done: 1_000, total: 1_000, skipped: 0 });
    expect(progress.length).toBeGreaterThan(4);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(await scheduler.inspector.count({ kind: 'dead' })).toBe(0);
    expect(await scheduler.state(late.id)).toBe('pending');
    expect(shard.name).toBe('00');
  });

  it.each(['retry', 'purge'] as const)(
    'of thousands (%s) takes bounded scripts, shows progress that only rises, lets work go on, and touches only what was dead before',
    async (action) => {
      const { scheduler } = await suite.open({ shards: 8 });
      const { queue, inspector } = scheduler;
      const count = 2_400;
      await plantDeadLetters(queue, count);
      const perScript: number[] = [];
      const progress: { done: number; total: number }[] = [];
      const subscriber = suite.connection.subscriber();
      subscriber.on('message', (channel: string, text: string) => {
        const [event, ...ids] = text.split(' ');
        if (channel === operationChannel) progress.push(JSON.parse(text) as { done: number; total: number });
        else if (event === 'revived' || event === 'purged') perScript.push(ids.length);
      });
      await subscriber.subscribe(operationChannel, ...queue.layout.shardList.map((shard) => feedChannel(shard.keys.base)));
      // What is retried dies again at once, and ordinary work is done, all while the operation goes on.
      const handlers = {
        work: () => Promise.reject(Object.assign(new Error('no'), { code: 'corrupt_document' })),
        ordinary: async () => 'ok',
      };
      await workshop.worker(scheduler, suite.redis.server.url, { handlers, slots: 20 });
      let ordinary: Promise<unknown> | null = null;
      const plan = await deadLetterPlan(queue, action, undefined, async (ids) => {
        ordinary ??= queue.submit('ordinary', null, { priority: 1 });
        return (action === 'retry' ? await queue.revive(ids) : await queue.purge(ids)).map(
          (word) => word === 'revived' || word === 'purged',
        );
      });
      expect(plan.total).toBe(count);
      const later = await scheduler.submit({ priority: 1 });
      await until('it has died', async () => (await scheduler.state(later)) === 'dead_letter');
      const operations = begin();
      const operation = await ended(operations, await operations.begin(plan));
      await until('the ordinary one is done', async () => ((await inspector.counts()).completed ?? 0) === 1);
      await until('all has been said', async () => progress.at(-1)?.done === count);
      subscriber.disconnect();
      expect(operation).toMatchObject({ state: 'done', done: count, total: count, skipped: 0 });
      expect(Math.max(...perScript)).toBeLessThanOrEqual(100);
      expect(perScript.reduce((sum, ids) => sum + ids, 0)).toBe(count);
      expect(progress.length).toBeGreaterThan(count / 200);
      expect(progress.map(({ done }) => done)).toEqual(progress.map(({ done }) => done).toSorted((a, b) => a - b));
      expect((await scheduler.get(later)).fence).toBe(1);
      const left = action === 'retry' ? count + 1 : 1;
      await until('what was retried has died again', async () => (await inspector.count({ kind: 'dead' })) === left);
    },
    60_000,
  );

  it('goes past thousands that cannot be revived, each of them once', async () => {
    const { scheduler } = await suite.open({ shards: 1 });
    const { queue } = scheduler;
    const identities = Array.from({ length: 1_500 }, (_, index) => [`same ${index}`]);
    await Promise.all(identities.map((identity) => queue.submit('work', null, { identity })));
    for (let buried = 0; buried < identities.length; ) {
      const { tasks } = await scheduler.claim('w1', { limit: 100 });
      const rows = tasks.map((task) => ({ id: task.id, fence: task.record.fence, class: 'permanent' as const }));
      buried += (await failAll(scheduler, 'w1', rows)).length;
    }
    await Promise.all(identities.map((identity) => queue.submit('work', null, { identity })));
    const seen: string[] = [];
    const plan = await deadLetterPlan(queue, 'retry', undefined, async (ids) => {
      seen.push(...ids);
      return (await queue.revive(ids)).map((word) => word === 'revived');
    });
    const operations = begin();
    expect(await ended(operations, await operations.begin(plan))).toMatchObject({ state: 'done', done: 0, skipped: 1_500, total: 1_500 });
    expect([seen.length, new Set(seen).size]).toEqual([1_500, 1_500]);
  });

  it('keeps to one code, and passes over what it cannot revive without stopping', async () => {
    const { scheduler, given } = await suite.open();
    await dead(scheduler, 5, 'encrypted_document');
    await dead(scheduler, 5, 'upstream_failed');
    const taken = await given.deadLettered({ identity: ['same'], code: 'upstream_failed' });
    await given.pending({ identity: ['same'] });
    const plan = await deadLetterPlan(scheduler.queue, 'retry', 'upstream_failed', async (ids) =>
      (await scheduler.queue.revive(ids)).map((word) => word === 'revived'),
    );
    const operations = begin();
    expect(await ended(operations, await operations.begin(plan))).toMatchObject({ state: 'done', done: 5, skipped: 1, total: 6 });
    expect(await scheduler.state(taken.id)).toBe('dead_letter');
    expect(await scheduler.inspector.deadByCode()).toEqual({ encrypted_document: 5, upstream_failed: 1 });
  });

  it('purges for good', async () => {
    const { scheduler } = await suite.open({ shards: 2 });
    await dead(scheduler, 300);
    const plan = await deadLetterPlan(scheduler.queue, 'purge', undefined, async (ids) =>
      (await scheduler.queue.purge(ids)).map((word) => word === 'purged'),
    );
    const operations = begin();
    expect(await ended(operations, await operations.begin(plan))).toMatchObject({ state: 'done', done: 300 });
    expect(Object.keys((await scheduler.world()).records)).toEqual([]);
  });

  it('says why it failed, and what was done until then', async () => {
    const operations = begin();
    let step = 0;
    const id = await operations.begin({
      action: 'retry',
      total: 10,
      step: async () => {
        if (step++ === 1) throw new Error('the disk is full');
        return { done: 4, skipped: 0, finished: false };
      },
    });
    expect(await ended(operations, id)).toMatchObject({ state: 'failed', done: 4, error: 'the disk is full' });
    expect(await operations.get('operation-unknown')).toBeNull();
  });

  it('stops after its step when the process stops, and says so', async () => {
    const operations = new Operations(suite.connection);
    const id = await operations.begin({ action: 'purge', total: 100, step: async () => ({ done: 1, skipped: 0, finished: false }) });
    await operations.stop();
    expect(await operations.get(id)).toMatchObject({ state: 'failed', error: 'the server stopped; begin it again' });
  });
});
