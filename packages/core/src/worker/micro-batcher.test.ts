import { describe, expect, it } from 'vitest';
import { MicroBatcher } from './micro-batcher.ts';

function batcher(limit: number): { sent: number[][]; batcher: MicroBatcher<number, number> } {
  const sent: number[][] = [];
  return {
    sent,
    batcher: new MicroBatcher<number, number>(
      limit,
      (item) => (item < 0 ? 'negative' : 'positive'),
      (items) => {
        sent.push([...items]);
        if (items.includes(13)) return Promise.reject(new Error('thirteen'));
        return Promise.resolve(items.map((item) => item * 2));
      },
    ),
  };
}

describe('a micro-batcher', () => {
  it('sends what is added in one turn together, a call per group, and gives each its own answer', async () => {
    const { sent, batcher: batch } = batcher(100);
    expect(await Promise.all([1, -1, 2, -2].map((item) => batch.add(item)))).toEqual([2, -2, 4, -4]);
    expect(sent).toEqual([
      [1, 2],
      [-1, -2],
    ]);
  });

  it('does not keep a lone one waiting for company', async () => {
    const { sent, batcher: batch } = batcher(100);
    await batch.add(1);
    await batch.add(2);
    expect(sent).toEqual([[1], [2]]);
  });

  it('cuts at its limit', async () => {
    const { sent, batcher: batch } = batcher(2);
    await Promise.all([1, 2, 3, 4, 5].map((item) => batch.add(item)));
    expect(sent).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('tells a failed call to its own items alone', async () => {
    const { batcher: batch } = batcher(1);
    const [good, bad] = await Promise.allSettled([batch.add(1), batch.add(13)]);
    expect([good.status, bad.status]).toEqual(['fulfilled', 'rejected']);
  });
});
