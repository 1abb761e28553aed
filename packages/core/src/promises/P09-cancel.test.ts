import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { conformanceSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';

const suite = conformanceSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

describe('P9: cancel works from anywhere', () => {
  it.each([
    ['wait', 'heeds its signal'],
    ['forever', 'computes without end'],
    ['deaf', 'waits without its signal'],
  ])('a handler that (%s) %s in a worker process has stopped within a second or so, and its slot is free', async (type) => {
    const { scheduler } = await suite.open({ shards: 8 });
    const { url } = suite.redis.server;
    const journal = await workshop.journal();
    const worker = await workshop.process(scheduler, url, { threads: true });
    const { id } = await scheduler.queue.submit(type, { file: journal.file });
    await journal.until('begin');
    const asked = performance.now();
    expect(await scheduler.queue.cancel(id)).toMatchObject({ word: 'cancelled' });
    if (type === 'wait') {
      await journal.until('end', 1, 1_000);
      expect(performance.now() - asked).toBeLessThan(1_000);
    }
    await until('its run is over', () => Promise.resolve(worker.of('lock released').some((line) => line.task === id)), 2_000);
    expect(worker.of('lock released').find((line) => line.task === id)).toMatchObject({ outcome: 'cancelled' });
    const next = await scheduler.queue.submit('work', 'next');
    await until('its slot is free', async () => (await scheduler.state(next.id)) === 'completed', 3_000);
    expect(await scheduler.get(id)).toMatchObject({ state: 'cancelled', attempts: 0, crashes: 0, errors: [], fence: 1 });
  });

  it('a cancelled task is not retried, not completed later, and no reaper or promoter brings it back', async () => {
    const { scheduler, given } = await suite.open();
    for (const seed of ['processing', 'reaped', 'retrying', 'released'] as const) {
      const { id, worker, fence } = await given[seed]();
      await scheduler.queue.cancel(id);
      expect(await scheduler.complete(worker, id, fence)).not.toBe('completed');
      expect(await scheduler.fail(worker, id, fence)).not.toBe('retrying');
      // A stray lease entry, as a crash of Redis between two commands of an older build could leave.
      await suite.connection.client.zadd(scheduler.shard.keys.processing, 1, id);
      await suite.connection.client.zadd(scheduler.shard.keys.due, 1, id);
      await scheduler.reap();
      await scheduler.promote();
      expect(await scheduler.state(id)).toBe('cancelled');
      expect((await scheduler.claim('w9')).tasks).toEqual([]);
      expect((await scheduler.inspector.result(id))?.value).toBeUndefined();
    }
  });

  it('a document with running and waiting pages ends with all of them', async () => {
    const { scheduler } = await suite.open();
    const journal = await workshop.journal();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(2), slots: 2 });
    const { id } = await scheduler.queue.submit('document', { file: journal.file, pages: 30, ms: 50 });
    await journal.until('begin', 4);
    await scheduler.queue.cancel(id);
    await until('nothing is left to do', async () => {
      const counts = await scheduler.inspector.counts();
      return (counts.pending ?? 0) + (counts.processing ?? 0) + (counts.waiting ?? 0) === 0;
    });
    const counts = await scheduler.inspector.counts();
    expect(Number(counts.cancelled) + Number(counts.completed)).toBe(31);
    expect(counts.cancelled).toBeGreaterThan(20);
    expect(await scheduler.state(id)).toBe('cancelled');
  });

  it('a cancellation that nobody heard is learnt as soon as the holder listens again', async () => {
    const { scheduler } = await suite.open({ settings: { leaseMs: 60_000 } });
    const journal = await workshop.journal();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
    const { id } = await scheduler.queue.submit('wait', { file: journal.file });
    await journal.until('begin');
    // Its subscription is cut while the word is said.
    const { client } = suite.connection;
    const listing = String(await client.call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'));
    const ids = [...listing.matchAll(/\bid=(\d+)/g)].map((match) => match[1] ?? '');
    const kills = ids.map((clientId) => client.call('CLIENT', 'KILL', 'ID', clientId));
    await Promise.all([...kills, scheduler.queue.cancel(id)]);
    await until('its run is over', () => Promise.resolve(worker.busy === 0), 2_000);
    expect(await scheduler.state(id)).toBe('cancelled');
  });
});
