import { afterEach, expect, it } from 'vitest';
import { keysLike } from '../testing/all-nodes.ts';
import { until } from '../testing/scheduler.ts';
import { conformanceSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';

const suite = conformanceSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

it('P12: every lock key has a TTL within the lease, at every moment of claims, renewals, failures, cancels and kills', async () => {
  const { scheduler } = await suite.open({ shards: 8, settings: { leaseMs: 400, crashBudget: 50 } });
  const { url } = suite.redis.server;
  await workshop.chores(scheduler, url);
  const victim = await workshop.process(scheduler, url, { slots: 3 });
  await workshop.process(scheduler, url, { slots: 3 });
  const tasks = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 10 === 0
        ? scheduler.queue.submit('throwCode', { code: 'engine_failed' }, { maxRetries: 1 })
        : scheduler.queue.submit('slow', { ms: 40 + (index % 7) * 30 }),
    ),
  );
  let seen = 0;
  let killed = false;
  await until(
    'all have ended',
    async () => {
      const { client } = suite.connection;
      const keys = await keysLike(client, 'lock:job:*');
      const ttls = await Promise.all(keys.map((key) => client.pttl(key)));
      seen += ttls.length;
      for (const ttl of ttls) {
        // -2: gone between the two commands.
        expect(ttl).not.toBe(-1);
        expect(ttl).toBeLessThanOrEqual(400);
      }
      if (!killed && seen > 20) {
        killed = true;
        await victim.kill9();
        await scheduler.queue.cancel(tasks[59]?.id ?? '');
      }
      const counts = await scheduler.inspector.counts();
      return (counts.completed ?? 0) + (counts.dead_letter ?? 0) + (counts.cancelled ?? 0) === 60;
    },
    20_000,
  );
  expect(seen).toBeGreaterThan(20);
  expect(await keysLike(suite.connection.client, 'lock:job:*')).toEqual([]);
});

it('P12: a lock key names its worker and fence, under a key that an operator can find', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  const journal = await workshop.journal();
  const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
  const { id } = await scheduler.queue.submit('wait', { file: journal.file });
  await journal.until('begin');
  const [key, ...others] = await keysLike(suite.connection.client, 'lock:job:*');
  expect(others).toEqual([]);
  const shard = scheduler.queue.shardOf(id)?.name;
  const tag = `{${scheduler.queue.name}:shard-${shard}`;
  // On a cluster a suffix inside the tag spreads shards over the masters.
  expect(key?.replace(/\.\w+}/, '}')).toBe(`lock:job:${scheduler.queue.name}-shard-${shard}:${tag}}:${id}`);
  expect(await suite.connection.client.get(key ?? '')).toBe(`${worker.id}#1`);
  await scheduler.queue.cancel(id);
});
