import { describe, expect, it } from 'vitest';
import { SETTING } from '../../run/setting.ts';
import { findings } from '../../testing/findings.ts';
import { Story } from '../../testing/story.ts';

const { leaseMs, reaperMs, crashBudget } = SETTING;

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
