import type { TestScheduler } from './scheduler.ts';

/**
 * Where a packed record keeps the moment that is compared with the clock (docs/redis-keys.md). The time of submit is compared
 * with the score that was made of it, and the start of the run with the answer that told of it: both stay.
 */
const SINCE_AT = 30;
const MOMENT_BYTES = 6;

async function shift(scheduler: TestScheduler, key: string, milliseconds: number): Promise<void> {
  const { client } = scheduler.connection;
  const flat = await client.zrange(key, '0', '-1', 'WITHSCORES');
  for (let at = 0; at < flat.length; at += 2) {
    // A moment that a test has ended by hand stays ended.
    if (Number(flat[at + 1]) > 1) await client.zadd(key, 'XX', Number(flat[at + 1]) + milliseconds, flat[at] ?? '');
  }
}

/**
 * As if Redis's clock had been set back: every moment that is waited for or counted from lies so much further ahead, and lock keys live so much
 * longer. `ids`: all tasks there are.
 */
export async function setClockBack(scheduler: TestScheduler, ids: readonly string[], milliseconds: number): Promise<void> {
  const { client } = scheduler.connection;
  for (const id of ids) {
    const { key, field } = scheduler.recordAt(id);
    const record = await client.hgetBuffer(key, field);
    if (record === null) continue;
    record.writeUIntBE(record.readUIntBE(SINCE_AT, MOMENT_BYTES) + milliseconds, SINCE_AT, MOMENT_BYTES);
    await client.hset(key, field, record);
    const { ttlMs } = await scheduler.lock(id);
    const locks = scheduler.queue.shardOf(id)?.keys.locks;
    if (ttlMs > 0 && locks !== undefined) await client.pexpire(locks + id, ttlMs + milliseconds);
  }
  for (const { keys } of scheduler.queue.layout.shardList) {
    for (const key of [keys.processing, keys.due, keys.finished, keys.dead]) await shift(scheduler, key, milliseconds);
  }
}

/** As if Redis's clock had been set forward: every lease among the tasks has run out, every other wait is over. */
export async function setClockForward(scheduler: TestScheduler, running: readonly string[], waiting: readonly string[]): Promise<void> {
  for (const id of running) await scheduler.expireLease(id);
  for (const id of waiting) await scheduler.makeDue(id);
}
