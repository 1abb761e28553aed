import { describe, expect, it } from 'vitest';
import { LockMeter } from '../../locks/lock-meter.ts';
import type { LockAbilities } from '../../locks/lock-store.ts';
import type { Locks } from '../../locks/locks.ts';
import { until } from '../scheduler.ts';
import { lockParties, type Parties, type StoreBench } from './bench.ts';
import { waitingConformance } from './conformance-waiting.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What every store of locks promises, with what it says it cannot do left to say so itself. */
export function lockConformance(title: string, abilities: LockAbilities, start: () => Promise<StoreBench>): Parties {
  const parties = lockParties(start);
  const { name, party } = parties;

  describe(`${title}: holding`, () => {
    it('says what it can do', async () => {
      expect((await party()).abilities).toEqual(abilities);
    });

    it('lets one in at a time, under contention, with fences that rise', async () => {
      const lock = name();
      const all = await Promise.all(Array.from({ length: 6 }, () => party()));
      const seen = { inside: 0, most: 0, fences: [] as (number | null)[] };
      const work = async (locks: Locks): Promise<void> => {
        for (let round = 0; round < 5; round++) {
          await locks.withLock(lock, async (_, { fence }) => {
            seen.most = Math.max(seen.most, ++seen.inside);
            seen.fences.push(fence);
            await turn();
            seen.inside--;
          });
        }
      };
      await Promise.all(all.map(work));
      expect(seen).toMatchObject({ inside: 0, most: 1 });
      expect(seen.fences).toHaveLength(30);
      if (abilities.risingFence) {
        const numbers = seen.fences.map(Number);
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      } else expect(new Set(seen.fences)).toEqual(new Set([null]));
    }, 30_000);

    it('tells a holder that stood still past its TTL at once, though its timers are late', async () => {
      const [one, lock] = [await party(), name()];
      const held = await one.acquire(lock, { ttlMs: 150 });
      expect(held.signal.aborted).toBe(false);
      // This very turn of the event loop goes on past the TTL.
      for (const end = performance.now() + 200; performance.now() < end; );
      expect(held.signal.aborted).toBe(true);
      await held.release();
    });

    it('keeps no lock past its TTL, and tells its holder', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const held = await one.acquire(lock, { ttlMs: 300 });
      const { signal } = held;
      expect(held.expiresAt - Date.now()).toBeLessThan(300);
      const next = await two.acquire(lock, { ttlMs: 5_000, waitMs: 10_000 });
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toMatchObject({ code: 'lock_lost' });
      await next.release();
    });

    it('tells "expired" from "someone else’s", and lets only the holder renew and release', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const expired = await one.acquire(lock, { ttlMs: 150 });
      await until('it has expired', async () => !(await two.inspect(lock)).held);
      expect(await expired.renew()).toBe('expired');
      expect(await expired.release()).toBe('expired');
      const lost = await one.acquire(lock, { ttlMs: 150 });
      const other = await two.acquire(lock, { ttlMs: 5_000 });
      expect(await lost.renew()).toBe('taken');
      expect(await lost.release()).toBe('taken');
      expect((await one.inspect(lock)).held).toBe(true);
      expect(await other.renew()).toBe('renewed');
      expect(await other.release()).toBe('released');
      expect(await other.release()).toBe('released');
    });

    it('renews for as long as it is told, and for less too', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const held = await one.acquire(lock, { ttlMs: 60_000 });
      expect(await held.renew(400)).toBe('renewed');
      expect(held.expiresAt - Date.now()).toBeLessThan(400);
      const from = performance.now();
      const next = await two.acquire(lock, { waitMs: 20_000 });
      expect(performance.now() - from).toBeLessThan(400 + parties.bench.noticeMs);
      expect(held.signal.aborted).toBe(true);
      await next.release();
    });

    it('is reentrant by holder, counts up and down, and frees with the last release alone', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const outer = await one.acquire(lock, { reentrant: true });
      const inner = await one.acquire(lock, { reentrant: true });
      expect([outer.count, inner.count]).toEqual([1, 2]);
      expect(inner.fence).toBe(outer.fence);
      expect(await two.tryAcquire(lock, { reentrant: true })).toBeNull();
      expect(await one.tryAcquire(lock)).toBeNull();
      const second = two.acquire(lock, { reentrant: true });
      expect(await outer.release()).toBe('kept');
      expect(await outer.release()).toBe('kept');
      expect((await one.inspect(lock)).held).toBe(true);
      expect(await two.tryAcquire(lock)).toBeNull();
      expect(await inner.release()).toBe('released');
      const next = await second;
      if (abilities.risingFence) expect(Number(next.fence)).toBeGreaterThan(Number(inner.fence));
      await next.release();
    });

    it('raises its fences across holders and a restart', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const fences: (number | null)[] = [];
      for (const locks of [one, two, one]) {
        const held = await locks.acquire(lock);
        fences.push(held.fence);
        await held.release();
      }
      await parties.bench.restart();
      const held = await (await party()).acquire(lock);
      fences.push(held.fence);
      await held.release();
      if (!abilities.risingFence) expect(fences).toEqual([null, null, null, null]);
      else for (const [index, fence] of fences.entries()) expect(Number(fence)).toBeGreaterThan(Number(fences[index - 1] ?? 0));
    }, 60_000);
  });

  describe(`${title}: withLock`, () => {
    it('renews past the TTL, gives back when done, and passes the result on', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      const result = await one.withLock(
        lock,
        async (signal, held) => {
          const first = held.expiresAt;
          await until('it was renewed twice over', async () => held.expiresAt > first + 800);
          expect(await two.tryAcquire(lock)).toBeNull();
          expect(signal.aborted).toBe(false);
          return 'done';
        },
        { ttlMs: 600 },
      );
      expect(result).toBe('done');
      const next = await two.tryAcquire(lock);
      expect(await next?.release()).toBe('released');
    });

    it('gives back when its function throws, and throws that', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      await expect(one.withLock(lock, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
      expect(await (await two.tryAcquire(lock))?.release()).toBe('released');
    });

    it('aborts its function when the lock is lost, and says so whatever it returns', async () => {
      const [one, lock] = [await party(), name()];
      const lost = one.withLock(
        lock,
        async (signal) => {
          await parties.bench.steal(lock);
          await until('the loss is noticed', async () => signal.aborted);
          return 'as if nothing had happened';
        },
        { ttlMs: 400 },
      );
      await expect(lost).rejects.toMatchObject({ code: 'lock_lost' });
    });
  });

  describe(`${title}: several and sharded`, () => {
    it('takes several names in sorted order, so that nobody waits in a circle', async () => {
      const names = [name(), name(), name()];
      const [one, two] = [await party(), await party()];
      let inside = 0;
      const work = async (locks: Locks, order: string[]): Promise<void> => {
        for (let round = 0; round < 5; round++) {
          await locks.withLocks(order, async (_, set) => {
            expect(set.locks.map((lock) => lock.name)).toEqual(names.toSorted());
            expect(++inside).toBe(1);
            await turn();
            inside--;
          });
        }
      };
      await Promise.all([work(one, names), work(two, names.toReversed())]);
    }, 30_000);

    it('gives back what it has when one of several is not to be had', async () => {
      const [one, two, first, second] = [await party(), await party(), name(), name()];
      const [, last = ''] = [first, second].toSorted();
      const held = await one.acquire(last);
      await expect(two.acquireAll([first, second], { waitMs: 100 })).rejects.toMatchObject({ code: 'lock_contention' });
      expect(await held.release()).toBe('released');
      const set = await two.acquireAll([first, second]);
      expect(await set.release()).toBe('released');
    });
  });

  describe(`${title}: looking`, () => {
    it('shows holder, count, fence, end and waiters', async () => {
      const [one, two, lock] = [await party(), await party(), name()];
      expect(await two.inspect(lock)).toMatchObject({ held: false, holder: null, waiting: 0 });
      const held = [await one.acquire(lock, { reentrant: true }), await one.acquire(lock, { reentrant: true })];
      const abort = new AbortController();
      const waiting = two.acquire(lock, { fair: true, reentrant: true, signal: abort.signal }).catch(() => null);
      const viewed = await until('the waiter is seen', async () => {
        const view = await (abilities.sharedView ? two : one).inspect(lock);
        return view.waiting === 1 && view;
      });
      expect(viewed).toMatchObject({ held: true, holder: one.holder, count: 2, fence: held[0]?.fence });
      expect(viewed.expiresAt).toBeGreaterThan(Date.now());
      if (abilities.sharedView) expect(viewed.waiters).toMatchObject([{ holder: two.holder }]);
      else expect(await two.inspect(lock)).toMatchObject({ held: true, holder: null, count: null, fence: null, expiresAt: null });
      abort.abort();
      await waiting;
      for (const each of held) await each.release();
    });

    it('lists held locks by pattern, or says that it cannot', async () => {
      const [one, first, second] = [await party(), name(), name()];
      const held = [await one.acquire(first), await one.acquire(second)];
      const pattern = `${first.slice(0, 10)}*`;
      if (abilities.list) {
        expect((await one.list(pattern)).map((view) => view.name)).toEqual([first]);
        expect((await one.list('t-*:table')).map((view) => view.name)).toEqual([first, second].toSorted());
        expect(await one.list('t-*', 1)).toHaveLength(1);
      } else await expect(one.list(pattern)).rejects.toMatchObject({ code: 'not_implemented' });
      for (const each of held) await each.release();
    });

    it('tells its observer of latency, contention, hold time and losses', async () => {
      const meter = new LockMeter();
      const [one, two, lock] = [await party({ observer: meter }), await party(), name()];
      await (await one.acquire(lock)).release();
      expect(meter.totals()).toMatchObject({ acquired: 1, contended: 0, released: 1, lost: 0 });
      const other = await two.acquire(lock);
      expect(await one.tryAcquire(lock)).toBeNull();
      await expect(one.acquire(lock, { waitMs: 50 })).rejects.toMatchObject({ code: 'lock_contention' });
      await expect(one.acquire(lock, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' });
      const waiting = one.acquire(lock, { ttlMs: 200 });
      await until('it waits', async () => (await two.inspect(lock)).waiting === 1);
      await other.release();
      const held = await waiting;
      await until('it is lost', async () => held.signal.aborted);
      expect(meter.totals()).toMatchObject({
        acquired: 2,
        contended: 1,
        refused: { busy: 1, timeout: 1, aborted: 1 },
        released: 1,
        lost: 1,
      });
      await held.release();
      const { waitMs, holdMs, lost } = meter.totals();
      expect([waitMs, holdMs].map((histogram) => [...histogram.values()].reduce((sum, count) => sum + count, 0))).toEqual([2, 2]);
      expect(lost).toBe(1);
    });
  });

  waitingConformance(title, abilities, parties);
  return parties;
}
