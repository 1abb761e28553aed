import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

describe('the inspector', () => {
  it('tells a task whole: header, payload, counts, errors, lease, result', async () => {
    const { scheduler, given } = await suite.open({ settings: { timelines: true } });
    const id = await given.pending({ priority: 10, tags: { user: 'office' }, timeoutMs: 5_000, payload: { page: 3 } });
    expect(await scheduler.get(id)).toMatchObject({
      id,
      state: 'pending',
      priority: 10,
      score: 10,
      fence: 0,
      attempts: 0,
      payload: { page: 3 },
      header: { type: 'work', tags: { user: 'office' }, timeout_ms: 5_000 },
      startedAt: null,
      finishedAt: null,
      worker: null,
      leaseExpiresAt: null,
      errors: [],
      children: null,
      resultExpiresAt: null,
    });
    const run = await given.claimed(id);
    const running = await scheduler.get(id);
    expect(running.leaseExpiresAt).toBeGreaterThan(running.startedAt ?? Number.POSITIVE_INFINITY);
    await scheduler.fail('w1', id, run.fence, { code: 'upstream_failed' });
    await scheduler.makeDue(id);
    await scheduler.promote();
    const again = await given.claimed(id);
    await scheduler.complete('w1', id, again.fence, '{"text":"read"}', 60_000);
    const ended = await scheduler.get(id);
    expect(ended).toMatchObject({ state: 'completed', worker: 'w1', fence: 2, attempts: 1, progress: 1 });
    expect(ended.errors).toMatchObject([{ code: 'upstream_failed', attempt: 1, fence: 1 }]);
    expect(await scheduler.inspector.result(id)).toMatchObject({ value: '{"text":"read"}', expiresAt: ended.resultExpiresAt });
    expect((await scheduler.inspector.events(id)).map(({ event }) => event)).toEqual([
      'submitted',
      'claimed',
      'failed',
      'promoted',
      'claimed',
      'completed',
    ]);
  });

  it('answers null for ids of nobody, of another queue and of no form', async () => {
    const { scheduler } = await suite.open();
    const gone = `${scheduler.queue.name}-00-000000000000-aaaaaa`;
    expect(await scheduler.inspector.getMany([gone, 'other-00-000000000000-aaaaaa', '../etc'])).toEqual([null, null, null]);
    expect(await scheduler.inspector.result('nonsense')).toBeNull();
    expect(await scheduler.inspector.events(gone)).toEqual([]);
  });

  it('counts ties of other shards in turn, as claims take them', async () => {
    const { scheduler } = await suite.open({ shards: 3 });
    const ids: string[] = [];
    for (let index = 0; index < 9; index++) ids.push(await scheduler.submit());
    const shut = await scheduler.submit({ concurrencyKey: 'one shard' });
    const positions = await Promise.all(ids.map(async (id) => scheduler.inspector.position(await scheduler.get(id))));
    expect(positions).toEqual([1, 1, 1, 4, 4, 4, 7, 7, 7]);
    // Three of its own shard and all of the others'.
    expect(await scheduler.inspector.position(await scheduler.get(shut))).toBe(10);
  });

  it('counts a place in line over all shards', async () => {
    const { scheduler } = await suite.open({ shards: 3 });
    for (let index = 0; index < 6; index++) await scheduler.submit({ priority: 10 });
    const id = await scheduler.submit({ priority: 500 });
    for (let index = 0; index < 6; index++) await scheduler.submit({ priority: 900 });
    expect(await scheduler.inspector.position(await scheduler.get(id))).toBe(7);
    const run = await scheduler.claimOne('w1');
    expect(await scheduler.inspector.position(await scheduler.get(run.id))).toBeNull();
  });

  it('tells what each shard holds, and counts lock keys as keys', async () => {
    const { scheduler, given } = await suite.open();
    const run = await given.processing();
    await given.processing();
    await given.pending({ priority: 5 });
    await given.retrying();
    const scheduled = await given.scheduled();
    await given.deadLettered();
    await suite.connection.client.del(scheduler.shard.keys.locks + run.id);
    const [shard] = await scheduler.inspector.shards();
    expect(shard).toMatchObject({
      shard: '00',
      pending: 1,
      processing: 2,
      locks: 1,
      due: 2,
      dead: 1,
      pendingByBand: { urgent: 1, high: 0, normal: 0, bulk: 0 },
      oldestLock: { taskId: run.id, workerId: 'w1' },
    });
    expect(shard?.nextScheduledAt).toBe((await scheduler.get(scheduled)).dueAt);
    expect(shard?.oldestPendingAt).not.toBeNull();
    // The lock was taken away by hand: the checks after the test would say so.
    suite.expectFaults(scheduler);
  });

  it('reads the children of a parent by number', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(3);
    expect(await scheduler.inspector.childrenTotal(family.id)).toBe(3);
    expect((await scheduler.inspector.children(family.id, 2, 4)).map((child) => child?.childNumber ?? null)).toEqual([2, 3, null]);
  });
});
