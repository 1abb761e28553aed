import { describe, expect, it } from 'vitest';
import { renewAll } from '../testing/batches.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('renew', () => {
  it('extends the lease entry and the lock key, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id, fence } = await given.processing({ leaseMs: 1_000 });
    expect((await scheduler.lock(id)).ttlMs).toBeLessThanOrEqual(1_000);
    const changed = await changes(async () => expect(await scheduler.renew('w1', id, fence)).toBe('renewed'));
    expect(changed).toEqual({ [`leases ${id}`]: [NUMBER, NUMBER] });
    expect((await scheduler.lock(id)).ttlMs).toBeGreaterThan(20_000);
  });

  it('sets a lock key that has vanished again, with a TTL', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await suite.connection.client.del(scheduler.shard.keys.locks + id);
    expect(await scheduler.renew('w1', id, fence)).toBe('renewed');
    expect(await scheduler.lock(id)).toEqual({ value: 'w1#1', ttlMs: NUMBER });
    expect((await scheduler.lock(id)).ttlMs).toBeGreaterThan(0);
  });

  it('keeps a lease that has run out, as long as nobody has reaped it', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.expireLease(id);
    expect(await scheduler.renew('w1', id, fence)).toBe('renewed');
    expect(await scheduler.reap()).toEqual([]);
  });

  it('writes progress down, and only where there is any', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.renew('w1', id, fence, 2_500);
    expect((await scheduler.get(id)).progress).toBe(0.25);
    const changed = await changes(() => scheduler.renew('w1', id, fence, -1));
    expect(changed[`records ${id} progress`]).toBeUndefined();
  });

  it.each([
    ['reaped', 'reaped'],
    ['crashLooped', 'reaped'],
    ['released', 'lost'],
    ['retrying', 'lost'],
    ['completed', 'lost'],
    ['cancelled', 'cancelled'],
    ['deadLettered', 'lost'],
    ['waitingForChildren', 'lost'],
  ] as const)('changes nothing for the last holder of a %s task and says %s', async (state, word) => {
    const { scheduler, given, changes } = await suite.open();
    const { id, worker, fence } = state === 'waitingForChildren' ? await given.waitingForChildren() : await given[state]();
    expect(await changes(async () => expect(await scheduler.renew(worker, id, fence)).toBe(word))).toEqual({});
  });

  it('tells missing from not yours, and w1 from w10', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing({ worker: 'w10' });
    const gone = await given.deadLettered();
    await scheduler.queue.purge([gone.id]);
    const changed = await changes(async () => {
      expect(await scheduler.renew('w1', id, fence)).toBe('lost');
      expect(await scheduler.renew('w100', id, fence)).toBe('lost');
      expect(await scheduler.renew('w10', id, fence + 1)).toBe('lost');
      expect(await scheduler.renew('w10', id, fence - 1)).toBe('lost');
      expect(await scheduler.renew('w1', gone.id, gone.fence)).toBe('missing');
    });
    expect(changed).toEqual({});
  });

  it('says cancelled only to the holder', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.cancelled({ worker: 'w10' });
    expect(await scheduler.renew('w10', id, fence)).toBe('cancelled');
    expect(await scheduler.renew('w1', id, fence)).toBe('lost');
  });

  it('keeps how a long run began in its timeline, however often its lease is renewed', async () => {
    const { scheduler, given } = await suite.open({ settings: { timelines: true } });
    const { id, fence } = await given.processing();
    for (let renewal = 0; renewal < 150; renewal++) await scheduler.renew('w1', id, fence);
    const events = await scheduler.inspector.events(id);
    expect(events.slice(0, 3).map((entry) => entry.event)).toEqual(['submitted', 'claimed', 'renewed']);
    expect(events.length).toBeLessThanOrEqual(100);
    expect(Number(events.at(-1)?.at)).toBeGreaterThan(Number(events.at(-2)?.at));
    await scheduler.complete('w1', id, fence);
    expect((await scheduler.inspector.events(id)).at(-1)).toMatchObject({ event: 'completed' });
  });

  it('answers a batch row by row', async () => {
    const { scheduler, given } = await suite.open();
    const [kept, lost, reaped] = [await given.processing(), await given.processing({ worker: 'w2' }), await given.reaped()];
    expect(await renewAll(scheduler, 'w1', [kept, lost, reaped])).toEqual(['renewed', 'lost', 'reaped']);
  });

  it('renews 125 leases in one call', async () => {
    const { scheduler } = await suite.open();
    await Promise.all(Array.from({ length: 125 }, () => scheduler.submit()));
    const { tasks } = await scheduler.claim('w1', { limit: 125, leaseMs: 1_000 });
    const words = await renewAll(
      scheduler,
      'w1',
      tasks.map((task) => ({ id: task.id, fence: 1 })),
    );
    expect(new Set(words)).toEqual(new Set(['renewed']));
    const now = await scheduler.inspector.now();
    const { leases } = await scheduler.world();
    expect(Math.min(...Object.values(leases))).toBeGreaterThan(now + 20_000);
  });
});
