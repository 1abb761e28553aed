import { describe, expect, it } from 'vitest';
import { SETTING } from '../../run/setting.ts';
import { findings } from '../../testing/findings.ts';
import { Story } from '../../testing/story.ts';

const { leaseMs } = SETTING;

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
