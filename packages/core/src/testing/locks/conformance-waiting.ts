import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LockAbilities } from '../../locks/lock-store.ts';
import type { Locks } from '../../locks/locks.ts';
import { until } from '../scheduler.ts';
import type { Parties } from './bench.ts';

/** How waiting works, for `lockConformance`. */
export function waitingConformance(title: string, abilities: LockAbilities, parties: Parties): void {
  const { name, party } = parties;
  const waitingIs = (locks: Locks, lock: string, count: number): Promise<unknown> =>
    until(`${count} wait`, async () => (await locks.inspect(lock)).waiting === count);

  describe(`${title}: waiting`, () => {
    it('starts a waiter within 10 ms of a release', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const latencies: number[] = [];
      for (let round = 0; round < 15; round++) {
        const held = await one.acquire(lock);
        const waiting = two.acquire(lock).then((next) => ({ next, at: performance.now() }));
        await waitingIs(one, lock, 1);
        const releasedAt = performance.now();
        await held.release();
        const { next, at } = await waiting;
        latencies.push(at - releasedAt);
        await next.release();
      }
      // The machine may be busy, so the quickest says what the store does. One that polls would be lucky fifteen times to pass.
      expect(Math.min(...latencies)).toBeLessThan(10);
    }, 30_000);

    it('loses no message where release and wait cross', async () => {
      const [one, two, lock] = [await parties.patient(), await parties.patient(), name()];
      const work = async (locks: Locks, offset: number): Promise<void> => {
        for (let round = 0; round < 60; round++) {
          // Whoever misses a wake-up here waits for longer than this.
          const held = await locks.acquire(lock, { ttlMs: 60_000, waitMs: 20_000 });
          // Releases fall before, into and after the other's first look.
          for (let step = 0; step < (round * 7 + offset) % 12; step++) await new Promise((resolve) => setImmediate(resolve));
          await held.release();
        }
      };
      await Promise.all([work(one, 0), work(two, 5)]);
    }, 60_000);

    it('starts a waiter within the TTL of its holder’s death', async () => {
      const [dying, two, lock] = [await parties.mortal(), await party(), name()];
      await dying.locks.acquire(lock, { ttlMs: 1_500 });
      const waiting = two.acquire(lock);
      await waitingIs(two, lock, 1);
      const diedAt = performance.now();
      await dying.kill();
      const next = await waiting;
      expect(performance.now() - diedAt).toBeLessThan(1_500 + parties.bench.noticeMs);
      await next.release();
    }, 30_000);

    it('leaves nothing behind after a time-out or an abort', async () => {
      // What is left behind by a patient one stays.
      const [one, two, lock] = [await party(), await parties.patient(), name()];
      const held = await one.acquire(lock);
      const reason = new Error('enough');
      const abort = new AbortController();
      const both = Promise.allSettled([
        two.acquire(lock, { signal: abort.signal, fair: true }),
        two.acquire(lock, { waitMs: 2_000, fair: true }),
      ]);
      await waitingIs(one, lock, 2);
      abort.abort(reason);
      const contention = expect.objectContaining({ code: 'lock_contention' });
      expect(await both).toEqual([
        { status: 'rejected', reason },
        { status: 'rejected', reason: contention },
      ]);
      await waitingIs(one, lock, 0);
      await held.release();
      expect(await (await one.tryAcquire(lock))?.release()).toBe('released');
      await expect(two.acquire(lock, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    it('leaves nothing behind where an abort crosses the grant', async () => {
      const [one, two, three, lock] = [await party(), await parties.patient(), await party(), name()];
      for (let round = 0; round < 12; round++) {
        const held = await one.acquire(lock);
        const abort = new AbortController();
        const waiting = two.acquire(lock, { signal: abort.signal }).then(
          (next) => next.release(),
          () => 'gave up',
        );
        await waitingIs(one, lock, 1);
        const releasing = held.release();
        for (let step = 0; step < round; step++) await new Promise((resolve) => setImmediate(resolve));
        abort.abort(new Error('enough'));
        await Promise.all([releasing, waiting]);
        const next = await three.acquire(lock, { waitMs: 5_000 });
        await next.release();
      }
    }, 30_000);

    it('passes the lock through 50 waiters', async () => {
      const [one, lock] = [await party(), name()];
      const crowd = await Promise.all(Array.from({ length: 5 }, () => party()));
      const held = await one.acquire(lock);
      let inside = 0;
      const fences: number[] = [];
      const waiting = crowd.flatMap((locks) =>
        Array.from({ length: 10 }, () =>
          locks.withLock(lock, async (_, { fence }) => {
            expect(++inside).toBe(1);
            fences.push(Number(fence));
            await delay(1);
            inside--;
          }),
        ),
      );
      await waitingIs(one, lock, 50);
      await held.release();
      await Promise.all(waiting);
      expect(fences).toHaveLength(50);
      if (abilities.risingFence) expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
    }, 30_000);
  });

  if (!abilities.fair) return;
  describe(`${title}: fair waiting`, () => {
    it('serves fair waiters in order, and passes over dead ones', async () => {
      const [one, dying, lock] = [await party(), await parties.mortal(), name()];
      const held = await one.acquire(lock, { fair: true });
      const order: number[] = [];
      const waiters: Promise<void>[] = [];
      for (let index = 0; index < 5; index++) {
        const locks = index === 1 ? dying.locks : await party();
        const waiter = locks.acquire(lock, { fair: true, ttlMs: 20_000 }).then(async (got) => {
          order.push(index);
          await got.release();
        });
        if (index === 1) waiter.catch(() => undefined);
        else waiters.push(waiter);
        await waitingIs(one, lock, index + 1);
      }
      await dying.kill();
      const diedAt = performance.now();
      await held.release();
      await Promise.all(waiters);
      expect(order).toEqual([0, 2, 3, 4]);
      expect(performance.now() - diedAt).toBeLessThan(4_000 + parties.bench.noticeMs);
    }, 30_000);

    it('lets nobody overtake a fair waiter while it is being woken', async () => {
      const [one, two, three, lock] = [await party(), await party(), await party(), name()];
      for (let round = 0; round < 5; round++) {
        const held = await one.acquire(lock, { fair: true });
        const waiting = two.acquire(lock, { fair: true });
        await waitingIs(one, lock, 1);
        const [, barging, next] = await Promise.all([held.release(), three.tryAcquire(lock, { fair: true }), waiting]);
        expect(barging).toBeNull();
        await next.release();
      }
    });
  });
}
