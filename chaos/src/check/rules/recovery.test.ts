import { describe, expect, it } from 'vitest';
import { SETTING } from '../../run/setting.ts';
import { findings, killedAndFinished } from '../../testing/findings.ts';
import { Story } from '../../testing/story.ts';

const { leaseMs, reaperMs } = SETTING;

describe('P5', () => {
  it('sees a lost task that is put back too late, unless nobody could have', () => {
    const late = (story: Story): Story => {
      const id = story.submit();
      story.pass(5).claim(id);
      story.die('worker-1.1');
      story.pass(leaseMs);
      story.fault('script-flush', 'redis', 0);
      story.pass(5_000).reap(id, true);
      story.pass(5).claim(id, 'worker-2.1');
      story.complete(id, 'worker-2.1');
      return story;
    };
    expect(findings(late(new Story()))).toEqual([
      expect.stringMatching(/^P5: run 1 was reaped 5000 ms after its lease had run out, though/),
    ]);
    // The proxy, or Redis itself: on a busy machine it gets no time either.
    for (const by of ['main', 'redis']) {
      const excused = late(new Story());
      excused.history.push({ event: 'stalled', at: excused.at - 1_000, by, forMs: 4_500 });
      expect(findings(excused)).toEqual([]);
    }
  });

  it('sees a crash counted of somebody to whom nothing happened, as when only Redis was away', () => {
    const story = new Story();
    const id = story.submit();
    story.pass(5).claim(id);
    story.fault('redis-freeze', 'redis', leaseMs + 100);
    story.reap(id, true);
    story.pass(5).claim(id, 'worker-2.1');
    story.complete(id, 'worker-2.1');
    expect(findings(story)).toEqual(['P5: run 1 counted as a crash of worker-1.1, to which nothing had happened']);
  });
});

describe('P5, of who could not say that it had no time', () => {
  function killedLongAfterALostLease(aliveFor: number): string[] {
    const story = new Story();
    const id = story.submit();
    story.pass(5).claim(id);
    story.say({ event: 'alive' }, 'worker-1.1');
    story.pass(leaseMs + reaperMs).reap(id, true);
    story.pass(aliveFor);
    if (aliveFor > 0) story.say({ event: 'alive' }, 'worker-1.1');
    story.pass(400).die('worker-1.1');
    story.pass(5).claim(id, 'worker-2.1');
    story.complete(id, 'worker-2.1');
    return findings(story);
  }

  it('excuses one that was silent until it was killed, and not one that showed life', () => {
    expect(killedLongAfterALostLease(0)).toEqual([]);
    expect(killedLongAfterALostLease(10)).toEqual(['P5: run 1 counted as a crash of worker-1.1, to which nothing had happened']);
  });
});

describe('P5, of processes', () => {
  it('sees one that ended for a reason of its own, and one that would not end', () => {
    const { story } = killedAndFinished();
    story.say({ event: 'process ended', process: 'worker-2.1', code: 1, signal: null });
    story.say({ event: 'process outstayed', process: 'server' });
    expect(findings(story)).toEqual([
      'P5: worker-2.1 ended with 1 and nobody had ended it',
      'P5: server did not end by itself when it was told to',
    ]);
  });
});
