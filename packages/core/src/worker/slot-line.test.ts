import { describe, expect, it } from 'vitest';
import { SlotLine } from './slot-line.ts';

const never = new AbortController().signal;

async function settled(promise: Promise<boolean>): Promise<boolean | null> {
  return Promise.race([promise, new Promise<null>((resolve) => setImmediate(() => resolve(null)))]);
}

describe('a line for slots', () => {
  it('gives each its slot while there are some, and the next free one to the best that waits, equals in their order', async () => {
    const line = new SlotLine(1);
    expect(line.tryTake()).toBe(true);
    const [worse, first, second] = [line.take(100, never), line.take(10, never), line.take(10, never)];
    expect(line.waiting).toBe(3);
    expect(await settled(first)).toBeNull();
    line.leave();
    expect([await settled(first), await settled(second), await settled(worse)]).toEqual([true, null, null]);
    line.leave();
    expect(await settled(second)).toBe(true);
    line.leave();
    expect(await settled(worse)).toBe(true);
    line.leave();
    expect(line.tryTake()).toBe(true);
    expect(line.tryTake()).toBe(false);
  });

  it('is left by one whose signal fires, and its slot goes to the next', async () => {
    const line = new SlotLine(1);
    line.tryTake();
    const impatient = new AbortController();
    const [left, next] = [line.take(1, impatient.signal), line.take(2, never)];
    impatient.abort();
    expect([await settled(left), line.waiting]).toEqual([false, 1]);
    line.leave();
    expect(await settled(next)).toBe(true);
    expect(await line.take(1, impatient.signal)).toBe(false);
  });

  it('sends everyone away when it is closed, and lets nobody in', async () => {
    const line = new SlotLine(1);
    line.tryTake();
    const waiting = line.take(1, never);
    line.close();
    expect(await settled(waiting)).toBe(false);
    line.leave();
    expect([line.tryTake(), await line.take(1, never)]).toEqual([false, false]);
  });
});
