import { describe, expect, it } from 'vitest';
import { SETTING } from '../run/setting.ts';
import { findings, killedAndFinished } from '../testing/findings.ts';
import { Story } from '../testing/story.ts';
import { check } from './check.ts';

const { leaseMs } = SETTING;

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
