import { describe, expect, it } from 'vitest';
import { Isolation } from './isolation.ts';

const never = new AbortController().signal;

/** Whether a promise has settled by now, without waiting for it. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
}

describe('isolation', () => {
  it('lets neighbours go side by side', () => {
    const isolation = new Isolation();
    expect([isolation.tryEnter(false), isolation.tryEnter(false)]).toEqual([true, true]);
    expect(isolation.closed).toBe(false);
    expect(isolation.tryEnter(true)).toBe(false);
  });

  it('has one that must be alone wait for all neighbours, and those that come later wait for it', async () => {
    const isolation = new Isolation();
    isolation.tryEnter(false);
    isolation.tryEnter(false);
    const alone = isolation.enter(true, never);
    expect(isolation.closed).toBe(true);
    const later = isolation.enter(false, never);
    isolation.leave(false);
    expect(await settled(alone)).toBe(false);
    isolation.leave(false);
    expect(await alone).toBe(true);
    expect(await settled(later)).toBe(false);
    expect(isolation.tryEnter(false)).toBe(false);
    isolation.leave(true);
    expect(await later).toBe(true);
    expect(isolation.closed).toBe(false);
  });

  it('lets two that must be alone go one after the other', async () => {
    const isolation = new Isolation();
    const [first, second] = [isolation.enter(true, never), isolation.enter(true, never)];
    expect(await first).toBe(true);
    expect(await settled(second)).toBe(false);
    isolation.leave(true);
    expect(await second).toBe(true);
    isolation.leave(true);
    expect(isolation.closed).toBe(false);
  });

  it('is left by one that gives up waiting, and those behind it go on', async () => {
    const isolation = new Isolation();
    isolation.tryEnter(false);
    const impatient = new AbortController();
    const alone = isolation.enter(true, impatient.signal);
    const later = isolation.enter(false, never);
    impatient.abort();
    expect(await alone).toBe(false);
    expect(await later).toBe(true);
    expect(isolation.closed).toBe(false);
    expect(await isolation.enter(true, impatient.signal)).toBe(false);
  });
});
