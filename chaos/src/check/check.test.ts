import { describe, expect, it } from 'vitest';
import { SETTING } from '../run/setting.ts';
import { Story } from '../testing/story.ts';
import { check } from './check.ts';

const { leaseMs, reaperMs, crashBudget } = SETTING;

/** What the checker finds, as `promise: says`. */
function findings(story: Story): string[] {
  return check(story.evidence()).findings.map(({ promise, says }) => `${promise}: ${says}`);
}

/** A worker is killed in a run, the task is reaped and another finishes it. */
function killedAndFinished(): { story: Story; id: string } {
  const story = new Story();
  const id = story.submit();
  story.pass(5).claim(id);
  story.pass(100).die('worker-1.1');
  story.pass(leaseMs - 100 + reaperMs).reap(id, true);
  story.pass(10).claim(id, 'worker-2.1');
  story.pass(50).complete(id, 'worker-2.1');
  return { story, id };
}

describe('an honest history', () => {
  it('is found to keep every promise', () => {
    const { story } = killedAndFinished();
    const cancelled = story.submit();
    story.pass(5).claim(cancelled);
    story.pass(5).cancel(cancelled);
    story.pass(20).told(cancelled, 1, 'cancelled');
    expect(findings(story)).toEqual([]);
  });

  it('may hold a late result that was accepted because nobody else had begun', () => {
    const story = new Story();
    const id = story.submit();
    story.pass(5).claim(id);
    story.fault('worker-freeze', 'worker-1', leaseMs + 500);
    story.reap(id, true);
    story.pass(50).complete(id);
    expect(findings(story)).toEqual([]);
  });

  it('may hold work done twice, which is counted and not held against anybody', () => {
    const { story, id } = killedAndFinished();
    story.returned(id, 1);
    story.pass(1).told(id, 1, 'lease_lost');
    expect(findings(story)).toEqual([]);
    expect(check(story.evidence()).figures).toMatchObject({ repeatedRuns: 1, refusedResults: 1, losses: 0, crashesCounted: 1 });
  });

  it('may hold a submit whose answer nobody heard, with its task or without', () => {
    const story = new Story();
    story.say({ event: 'submit asked', label: 'p1-90', type: 'quick', priority: 1, delayMs: 0, identity: null });
    story.say({ event: 'submit asked', label: 'p1-91', type: 'quick', priority: 1, delayMs: 0, identity: null });
    story.plant('chaos-00-000000000099-aaaaaa', 'p1-91');
    story.note('chaos-00-000000000099-aaaaaa', 'submitted');
    story.pass(1).claim('chaos-00-000000000099-aaaaaa');
    story.complete('chaos-00-000000000099-aaaaaa');
    expect(findings(story)).toEqual([]);
    expect(check(story.evidence()).figures.unanswered).toBe(2);
  });
});

describe('P1', () => {
  it('sees an acknowledged task that is gone', () => {
    const { story, id } = killedAndFinished();
    story.tasks.delete(id);
    expect(findings(story)).toContainEqual(expect.stringMatching(/^P1: submit p1-0 was answered with it and it is gone/));
    expect(check(story.evidence()).figures.losses).toBe(1);
  });

  it('sees a task that did not end', () => {
    const story = new Story();
    story.submit();
    story.atRest = false;
    expect(findings(story)).toEqual([expect.stringMatching(/^P1: tasks were still under way/), 'P1: it ended as pending']);
  });

  it('sees one submit that made two tasks, and a task that nobody asked for', () => {
    const { story, id } = killedAndFinished();
    const twin = story.submit();
    story.pass(1).claim(twin);
    story.complete(twin);
    story.task(twin).label = story.task(id).label;
    expect(findings(story)).toContainEqual(expect.stringMatching(/^P1: submit p1-0 made it and chaos-00/));
    story.task(twin).label = 'p9-9';
    expect(findings(story)).toContainEqual('P1: it is of the label p9-9, which nobody asked for');
  });

  it('sees a result that was accepted and then lost', () => {
    const { story, id } = killedAndFinished();
    Object.assign(story.task(id), { state: 'dead_letter', result: null, errors: ['timeout'] });
    expect(findings(story)).toContainEqual('P1: run 2 was told completed and the task is dead_letter');
  });
});

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
    const excused = late(new Story());
    excused.history.push({ event: 'stalled', at: excused.at - 1_000, by: 'main', forMs: 4_500 });
    expect(findings(excused)).toEqual([]);
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

describe('P6', () => {
  function crashLooped(crashes: number): { story: Story; id: string } {
    const doomed = Array.from({ length: crashes }, (_, crash) => `worker-${3 + crash}.1`);
    const story = new Story(['worker-1.1', 'worker-2.1', ...doomed]);
    const id = story.submit();
    for (const process of doomed) {
      story.pass(5).claim(id, process);
      story.pass(1).die(process);
      story.pass(leaseMs + reaperMs).reap(id, true);
    }
    return { story, id };
  }

  it('accepts a task that is dead when its budget is spent', () => {
    expect(findings(crashLooped(crashBudget).story)).toEqual([]);
  });

  it('sees crashes beyond the budget', () => {
    const { story, id } = crashLooped(crashBudget);
    const task = story.task(id);
    task.timeline.pop();
    task.state = 'pending';
    story.pass(5).claim(id);
    story.complete(id);
    expect(findings(story)).toContainEqual(`P6: run ${crashBudget + 1} began though ${crashBudget} crashes had been counted`);
  });

  it('sees a crash loop that ended early', () => {
    const { story, id } = crashLooped(crashBudget - 1);
    Object.assign(story.task(id), { state: 'dead_letter', errors: ['crash_loop'] });
    story.note(id, 'dead_lettered', { code: 'crash_loop' });
    expect(findings(story)).toContainEqual(`P6: it is dead of crash_loop with ${crashBudget - 1} crashes counted`);
  });

  it('sees a neighbour beside a task that has crashed twice', () => {
    const { story, id } = crashLooped(2);
    const neighbour = story.submit();
    story.pass(5).claim(id, 'worker-2.1');
    story.pass(5).claim(neighbour, 'worker-2.1');
    story.pass(5).complete(id, 'worker-2.1');
    story.complete(neighbour, 'worker-2.1');
    expect(findings(story)).toEqual([`P6: run 3 began after 2 crashes and ran beside ${neighbour} in worker-2.1`]);
  });
});

describe('P9', () => {
  function cancelledRun(): { story: Story; id: string } {
    const story = new Story();
    const id = story.submit();
    story.pass(5).claim(id);
    story.pass(5).cancel(id);
    return { story, id };
  }

  it('sees a cancelled task that was completed', () => {
    const { story, id } = cancelledRun();
    story.pass(5).complete(id);
    expect(findings(story)).toEqual(
      expect.arrayContaining(['P9: it was cancelled and is completed', 'P9: it was cancelled and the result of run 1 was accepted']),
    );
  });

  it('sees a cancelled task that came back', () => {
    const { story, id } = cancelledRun();
    story.told(id, 1, 'cancelled');
    story.pass(leaseMs).reap(id, false);
    story.pass(5).claim(id, 'worker-2.1');
    story.complete(id, 'worker-2.1');
    expect(findings(story)).toContainEqual('P9: it was cancelled and run 2 was claimed afterwards');
  });

  it('sees a handler that heard nothing in time, unless its process could not hear', () => {
    const { story, id } = cancelledRun();
    story.pass(4_000).told(id, 1, 'cancelled');
    expect(findings(story)).toEqual(['P9: it was cancelled and run 1 at worker-1.1 heard nothing for 4000 ms']);
    const frozen = new Story();
    const task = frozen.submit();
    frozen.pass(5).claim(task);
    frozen.cancel(task);
    frozen.fault('worker-freeze', 'worker-1', 4_000);
    frozen.told(task, 1, 'cancelled');
    expect(findings(frozen)).toEqual([]);
  });
});

describe('P12', () => {
  it('sees a lock without an end, one longer than the lease, and one that is left', () => {
    const { story, id } = killedAndFinished();
    story.say({ event: 'lock seen', task: id, ttlMs: -1 });
    story.say({ event: 'lock seen', task: id, ttlMs: leaseMs + 1 });
    story.locks.push({ task: id, ttlMs: 5 });
    expect(findings(story)).toEqual([
      'P12: its lock had no TTL',
      `P12: its lock had a TTL of ${leaseMs + 1} ms, more than the lease`,
      'P12: its lock is left though nothing runs',
    ]);
  });

  it('sees what had to be mended, and what is miscounted', () => {
    const { story, id } = killedAndFinished();
    story.totals['repaired:lease_without_run'] = 2;
    story.task(id).children = { total: 1, completed: 1, failed: 0 };
    expect(findings(story)).toEqual([
      'P12: 2 times something had to be mended: repaired:lease_without_run',
      'P12: it counts 1 completed and 0 failed of 1 children; 0 of the 0 that are there are completed',
    ]);
  });
});
