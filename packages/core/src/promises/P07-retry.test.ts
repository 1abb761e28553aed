import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../rules/message.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

describe('P7, through a handler in a thread', () => {
  it('a transient error is tried max retries + 1 times, then is a dead letter', async () => {
    const { scheduler } = await suite.open();
    await workshop.chores(scheduler, suite.redis.server.url, 10);
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1), random: () => 0 });
    const errors: [string, Json][] = [
      ['throwCode', { code: 'engine_failed' }],
      ['throwFields', { status: 503 }],
      ['throwFields', { code: 'ECONNREFUSED' }],
      ['throwText', null],
    ];
    const tasks = await Promise.all(errors.map(([type, payload]) => scheduler.queue.submit(type, payload, { maxRetries: 3 })));
    for (const { id } of tasks) {
      await until('it is dead', async () => (await scheduler.state(id)) === 'dead_letter');
      const task = await scheduler.get(id);
      expect(task).toMatchObject({ attempts: 4, crashes: 0, fence: 4 });
      expect(task.errors.map((error) => error.attempt)).toEqual([1, 2, 3, 4]);
    }
  });

  it('a permanent error is a dead letter at once, no retry spent', async () => {
    const { scheduler } = await suite.open();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
    const errors: [string, Json, string][] = [
      ['throwCode', { code: 'encrypted_document' }, 'encrypted_document'],
      ['throwCode', { code: 'corrupt_document' }, 'corrupt_document'],
      ['throwCode', { code: 'blob_missing' }, 'blob_missing'],
      ['throwFields', { status: 404 }, 'upstream_rejected'],
      ['throwFields', { status: 422 }, 'upstream_rejected'],
      ['noSuchType', null, 'handler_missing'],
    ];
    for (const [type, payload, code] of errors) {
      const { id } = await scheduler.queue.submit(type, payload);
      await until('it is dead', async () => (await scheduler.state(id)) === 'dead_letter');
      expect(await scheduler.get(id)).toMatchObject({ fence: 1, errors: [{ code }] });
    }
    expect((await scheduler.world()).totals.retried).toBeUndefined();
  });

  it('a deferred error waits as long as it was asked to, and spends nothing', async () => {
    const { scheduler } = await suite.open();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1), random: () => 0.5 });
    const errors: [string, Json][] = [
      ['throwFields', { status: 429, retryAfterMs: 7_000 }],
      ['throwCode', { code: 'rate_limited', retryAfterMs: 7_000 }],
    ];
    for (const [type, payload] of errors) {
      const { id } = await scheduler.queue.submit(type, payload);
      const task = await until('it waits', async () => {
        const seen = await scheduler.get(id);
        return seen.state === 'retrying' ? seen : null;
      });
      expect(task).toMatchObject({ attempts: 0, crashes: 0 });
      expect(Number(task.dueAt) - Number(task.errors[0]?.at)).toBe(7_000);
    }
  });

  it('lock contention waits without a retry too, up to the bound of all its deferrals', async () => {
    const { scheduler } = await suite.open({ settings: { deferredLimitMs: 300 } });
    await workshop.chores(scheduler, suite.redis.server.url, 10);
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1), random: () => 0.1 });
    const { id } = await scheduler.queue.submit('throwCode', { code: 'lock_contention' }, { maxRetries: 0 });
    await until('its patience is over', async () => (await scheduler.state(id)) === 'dead_letter');
    const task = await scheduler.get(id);
    expect(task.attempts).toBe(0);
    expect(task.fence).toBeGreaterThan(1);
    expect(await scheduler.inspector.deadByCode()).toEqual({ lock_contention: 1 });
  });

  it('waits base × 2^n with full jitter between runs', async () => {
    const { scheduler } = await suite.open();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1), random: () => 0.5 });
    const { id } = await scheduler.queue.submit('throwCode', { code: 'engine_failed' });
    for (const [attempt, wait] of [
      [1, 500],
      [2, 1_000],
      [3, 2_000],
    ] as const) {
      const task = await until('it waits', async () => {
        const seen = await scheduler.get(id);
        return seen.state === 'retrying' && seen.attempts === attempt ? seen : null;
      });
      expect(Number(task.dueAt) - Number(task.errors.at(-1)?.at)).toBe(wait);
      await scheduler.makeDue(id);
      await scheduler.promote();
    }
    await until('it is dead', async () => (await scheduler.state(id)) === 'dead_letter');
  });
});
