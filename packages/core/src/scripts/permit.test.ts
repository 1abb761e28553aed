import { describe, expect, it } from 'vitest';
import { rateKey, replayKey } from '../redis/keys.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { type Permit, parsePermit, permitScript } from './permit.ts';

const suite = schedulerSuite();

const SPAN = 60_000;
/** A fiftieth of the span. */
const PART = SPAN / 50;

interface Ask {
  readonly want?: number;
  readonly ticket?: number;
  readonly unspent?: number;
  readonly late?: number;
  readonly requestId?: string;
}

let requests = 0;

async function ask(scheduler: TestScheduler, { requestId, ...rest }: Ask): Promise<Permit | null> {
  const { base } = scheduler.shard.keys;
  const keys = { rate: rateKey(base), replay: replayKey(base, 'w1', 0) };
  const values = { request_id: requestId ?? `r${++requests}`, replay_ms: 60_000, want: 0, ticket: 0, unspent: 0, late: 0, ...rest };
  return parsePermit(await scheduler.connection.run(permitScript, keys, values));
}

async function starts(scheduler: TestScheduler): Promise<{ at: number; count: number }[]> {
  const text = (await suite.connection.client.hget(rateKey(scheduler.shard.keys.base), 'starts')) ?? '';
  const numbers = text.split(' ').filter(Boolean).map(Number);
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({ at: numbers[2 * index] ?? 0, count: numbers[2 * index + 1] ?? 0 }));
}

async function plant(scheduler: TestScheduler, ...parts: readonly (readonly [ageMs: number, count: number])[]): Promise<number> {
  const now = await scheduler.inspector.now();
  const text = parts.map(([age, count]) => `${now - age - ((now - age) % PART)} ${count}`).join(' ');
  await suite.connection.client.hset(rateKey(scheduler.shard.keys.base), 'starts', text);
  return now;
}

async function rated(count = 10) {
  const { scheduler } = await suite.open();
  await scheduler.queue.setRate({ count, perMs: SPAN });
  return scheduler;
}

describe('permit', () => {
  it('says that a queue without a rate is unlimited, and stores nothing', async () => {
    const { scheduler, changes } = await suite.open();
    expect(await changes(async () => expect(await ask(scheduler, { want: 5 })).toBeNull())).toEqual({});
    expect(await suite.connection.client.keys(`${scheduler.shard.keys.base}*`)).toEqual([]);
  });

  it('gives at most the count in a span, and says when there are more', async () => {
    const scheduler = await rated();
    expect(await ask(scheduler, { want: 4 })).toMatchObject({ count: 4, waitMs: 0 });
    const now = await scheduler.inspector.now();
    const second = await ask(scheduler, { want: 10 });
    expect(second?.count).toBe(6);
    expect(second?.until).toBeGreaterThanOrEqual(now + PART);
    // The span, and at most two fiftieths.
    expect(second?.waitMs).toBeGreaterThan(SPAN);
    expect(second?.waitMs).toBeLessThanOrEqual(SPAN + 2 * PART);
    expect(await ask(scheduler, { want: 1 })).toMatchObject({ count: 0 });
    expect((await starts(scheduler)).reduce((sum, part) => sum + part.count, 0)).toBe(10);
  });

  it('counts a start until no span can hold it and another that is spent in time, then forgets it', async () => {
    const scheduler = await rated();
    await plant(scheduler, [SPAN + 3 * PART, 7], [SPAN + PART / 2, 2], [PART, 1]);
    expect(await ask(scheduler, { want: 20 })).toMatchObject({ count: 7 });
    expect((await starts(scheduler)).map((part) => part.count)).toEqual([2, 1, 7]);
  });

  it('names the moment when so much has gone that there is room, where the rate was lowered below what was started', async () => {
    const scheduler = await rated(2);
    const now = await plant(scheduler, [SPAN / 2, 3], [SPAN / 4, 1], [PART, 1]);
    const permit = await ask(scheduler, { want: 1 });
    // Four of five must go before one of two may start, and the first part holds three.
    expect(permit?.count).toBe(0);
    const [first, second] = await starts(scheduler);
    expect(first?.count).toBe(3);
    expect(now + (permit?.waitMs ?? 0)).toBeGreaterThan((second?.at ?? 0) + SPAN);
  });

  it('takes back what was not spent, once, however often it is told', async () => {
    const scheduler = await rated();
    const permit = await ask(scheduler, { want: 10 });
    const back = { ticket: permit?.ticket ?? 0, unspent: 3, requestId: 'back' };
    await ask(scheduler, back);
    await ask(scheduler, back);
    expect(await ask(scheduler, { want: 10 })).toMatchObject({ count: 3 });
  });

  it('gives the same permits again to a request that comes again', async () => {
    const scheduler = await rated();
    const first = await ask(scheduler, { want: 4, requestId: 'lost' });
    expect(await ask(scheduler, { want: 4, requestId: 'lost' })).toEqual(first);
    expect((await starts(scheduler)).map((part) => part.count)).toEqual([4]);
  });

  it('counts what was spent late where it was spent', async () => {
    const scheduler = await rated();
    await plant(scheduler, [SPAN, 6]);
    const [planted] = await starts(scheduler);
    await ask(scheduler, { ticket: planted?.at ?? 0, late: 2 });
    const parts = await starts(scheduler);
    expect(parts.map((part) => part.count)).toEqual([4, 2]);
    expect((parts[1]?.at ?? 0) - (parts[0]?.at ?? 0)).toBeGreaterThanOrEqual(SPAN - PART);
  });

  it('counts from now what lies ahead of a clock that was set back, so that nothing waits for the old time', async () => {
    const scheduler = await rated();
    await plant(scheduler, [-86_400_000, 4]);
    const permit = await ask(scheduler, { want: 10 });
    expect(permit?.count).toBe(6);
    expect(permit?.waitMs).toBeLessThanOrEqual(SPAN + 2 * PART);
  });

  it('keeps no more parts than a span has', async () => {
    const scheduler = await rated(1_000_000);
    await plant(scheduler, ...Array.from({ length: 200 }, (_, index) => [(200 - index) * PART, 1] as const));
    await ask(scheduler, { want: 1 });
    expect((await starts(scheduler)).length).toBeLessThanOrEqual(53);
  });
});

describe('a queue’s rate', () => {
  it('is stored with the queue and read back by every process; null takes it away', async () => {
    const { scheduler } = await suite.open();
    expect(await scheduler.queue.rate()).toBeNull();
    await scheduler.queue.setRate({ count: 7, perMs: 5_000 });
    expect(await scheduler.queue.rate()).toEqual({ count: 7, perMs: 5_000 });
    await scheduler.queue.setRate(null);
    expect(await scheduler.queue.rate()).toBeNull();
    expect(await suite.connection.client.keys(`${scheduler.shard.keys.base}*`)).toEqual([]);
  });

  it.each([
    { count: 0, perMs: 1_000 },
    { count: 1.5, perMs: 1_000 },
    { count: 1_000_001, perMs: 1_000 },
    { count: 1, perMs: 999 },
    { count: 1, perMs: 86_400_001 },
    { count: Number.NaN, perMs: 1_000 },
  ])('of $count per $perMs ms is refused, and the old one stays', async (rate) => {
    const { scheduler } = await suite.open();
    await scheduler.queue.setRate({ count: 7, perMs: 5_000 });
    await expect(scheduler.queue.setRate(rate)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await scheduler.queue.rate()).toEqual({ count: 7, perMs: 5_000 });
  });
});
