import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { type Moment, Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

/** Tasks of each key. */
const COUNT = 20;

/** The most runs of these tasks that were at work at once; a run whose process was killed ended with it. */
function mostAtOnce(moments: readonly Moment[], ids: ReadonlySet<string>, killedPid: number, killedAt: number): number {
  const own = moments.filter(({ id }) => ids.has(id));
  const ended = new Set(own.flatMap(({ word, id, fence }) => (word === 'end' ? [`${id}#${fence}`] : [])));
  const steps = own.flatMap(({ word, id, fence, pid, at }) => {
    if (word === 'end') return [{ at, by: -1 }];
    const diedRunning = pid === killedPid && !ended.has(`${id}#${fence}`);
    return diedRunning
      ? [
          { at, by: 1 },
          { at: killedAt, by: -1 },
        ]
      : [{ at, by: 1 }];
  });
  let running = 0;
  return Math.max(...steps.toSorted((a, b) => a.at - b.at || a.by - b.by).map(({ by }) => (running += by)));
}

describe('concurrency keys, with three processes over eight shards', () => {
  it('no more than n tasks of a key run at once, though a worker is killed in the midst, and all are done in the end', async () => {
    const settings = { leaseMs: 500, crashBudget: 20 };
    const { scheduler } = await suite.open({ shards: 8, settings });
    const { url } = suite.redis.server;
    const journal = await workshop.journal();
    const processes = await Promise.all([1, 2, 3].map(() => workshop.process(scheduler, url, { slots: 4 })));
    const keys = [
      { concurrencyKey: 'one', concurrencyLimit: 1 },
      { concurrencyKey: 'two', concurrencyLimit: 2 },
      { concurrencyKey: 'five', concurrencyLimit: 5 },
    ];
    const tasks = await Promise.all(
      keys.map(async (key) => {
        const payload = { file: journal.file, ms: 60 };
        const submitted = await Promise.all(Array.from({ length: COUNT }, () => scheduler.queue.submit('slow', payload, key)));
        return { limit: key.concurrencyLimit, ids: new Set(submitted.map(({ id }) => id)) };
      }),
    );
    const begun = await journal.until('begin', 5);
    const victim = processes.find(({ pid }) => pid === begun.at(-1)?.pid);
    if (victim === undefined) throw new Error('none of the processes has begun a run');
    await victim.kill9();
    const killedAt = Date.now();
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 3 * COUNT, 20_000);
    const moments = await journal.read();
    for (const { limit, ids } of tasks) expect(mostAtOnce(moments, ids, victim.pid, killedAt)).toBeLessThanOrEqual(limit);
    for (const shard of scheduler.queue.layout.shardList) {
      const held = await Promise.all(
        keys.map((key) => suite.connection.client.scard(`${shard.keys.base}gate:holders:${key.concurrencyKey}`)),
      );
      expect(held).toEqual([0, 0, 0]);
    }
  }, 30_000);

  it('no more than its count of a key start in any span, exactly, and the rest follow by themselves', async () => {
    const { scheduler } = await suite.open({ shards: 8, settings: { timelines: true } });
    const { url } = suite.redis.server;
    const rateLimit = { count: 4, perMs: 700 };
    const ids = await Promise.all(Array.from({ length: 12 }, () => scheduler.submit({ concurrencyKey: 'api', rateLimit })));
    await Promise.all([1, 2, 3].map(() => workshop.process(scheduler, url, { slots: 4 })));
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 12, 15_000);
    const timelines = await Promise.all(ids.map((id) => scheduler.inspector.events(id)));
    const starts = timelines.flat().flatMap(({ event, at }) => (event === 'claimed' ? [at] : []));
    expect(starts).toHaveLength(12);
    for (const from of starts) expect(starts.filter((at) => at >= from && at < from + rateLimit.perMs).length).toBeLessThanOrEqual(4);
  }, 30_000);
});
