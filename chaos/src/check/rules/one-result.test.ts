import { describe, expect, it } from 'vitest';
import { SETTING } from '../../run/setting.ts';
import { findings, killedAndFinished } from '../../testing/findings.ts';
import { Story } from '../../testing/story.ts';

const { leaseMs } = SETTING;

describe('P2', () => {
  it('sees two accepted results', () => {
    const { story, id } = killedAndFinished();
    story.returned(id, 1);
    story.told(id, 1, 'completed');
    expect(findings(story)).toContainEqual('P2: the results of runs 1, 2 were accepted');
  });

  it('sees that the result which is stored is another run’s', () => {
    const { story, id } = killedAndFinished();
    story.task(id).result = JSON.stringify({ fence: 1, by: 'worker-1.1', label: 'p1-0' });
    expect(findings(story)).toEqual([
      'P2: the result of run 1 is stored and the record is of run 2',
      'P2: a result is stored of run 1 at worker-1.1, which returned none',
    ]);
  });

  it('sees a result that was refused and stored all the same', () => {
    const { story, id } = killedAndFinished();
    const told = story.history.find((event) => event.event === 'run told' && event.task === id);
    Object.assign(told ?? {}, { outcome: 'lease_lost' });
    expect(findings(story)).toContainEqual('P2: run 2 was told lease_lost and its result is stored');
  });

  it('sees one fence given to two, and a fence that does not rise', () => {
    const { story, id } = killedAndFinished();
    story.say({ event: 'run started', task: id, fence: 2, type: 'quick', attempt: 1, crashes: 1 }, 'server.1');
    expect(findings(story)).toContainEqual(expect.stringMatching(/^P2: run 2 began at .+ and at /));
    const other = killedAndFinished();
    const claim = other.story.task(other.id).timeline.find((entry) => entry.event === 'claimed' && entry.run === 2);
    Object.assign(claim ?? {}, { run: 1 });
    expect(findings(other.story)).toContainEqual('P2: its timeline contradicts itself: "claimed" came while it was pending');
  });

  it('sees a task given to a second while the first’s lease held', () => {
    const story = new Story();
    const id = story.submit();
    story.pass(5).claim(id);
    story.pass(10).claim(id, 'worker-2.1');
    story.pass(10).returned(id, 1);
    story.complete(id, 'worker-2.1');
    expect(findings(story)).toEqual(
      expect.arrayContaining([
        'P2: run 2 was claimed while the lease of run 1 held',
        'P2: runs 1 at worker-1.1 and 2 at worker-2.1 were under way at once though no lease had been lost',
      ]),
    );
  });

  it('sees a lease that was ended before its time', () => {
    const story = new Story();
    const id = story.submit();
    story.pass(5).claim(id);
    story.pass(500).renew(id);
    story.pass(leaseMs - 1).reap(id, false);
    story.pass(5).claim(id);
    story.complete(id);
    expect(findings(story)).toEqual(['P2: run 1 was reaped 1 ms before its lease ran out']);
  });
});
