import { describe, expect, it } from 'vitest';
import { findings } from '../../testing/findings.ts';
import { Story } from '../../testing/story.ts';

describe('P3', () => {
  it('sees a worse task that was given first, and a later one of the same priority', () => {
    for (const [first, second] of [
      [100, 10],
      [10, 10],
    ] as const) {
      const story = new Story();
      const [one, two] = [story.submit(first), story.submit(second)];
      const [better, worse] = first > second ? [two, one] : [one, two];
      story.pass(5).claim(worse);
      story.pass(5).claim(better);
      story.complete(worse);
      story.complete(better);
      expect(findings(story)).toEqual([expect.stringMatching(/^P3: run 1 of priority \d+ was claimed while .+ was ahead of it in line/)]);
    }
  });

  it('does not judge what arrived in the very millisecond of the claim', () => {
    const story = new Story();
    const worse = story.submit(100);
    story.pass(5);
    const better = story.submit(10);
    story.claim(worse);
    story.pass(5).claim(better);
    story.complete(worse);
    story.complete(better);
    expect(findings(story)).toEqual([]);
  });
});
