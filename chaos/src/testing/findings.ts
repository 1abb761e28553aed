import { check } from '../check/check.ts';
import { SETTING } from '../run/setting.ts';
import { Story } from './story.ts';

const { leaseMs, reaperMs } = SETTING;

/** What the checker finds, as `promise: says`. */
export function findings(story: Story): string[] {
  return check(story.evidence()).findings.map(({ promise, says }) => `${promise}: ${says}`);
}

/** A worker is killed in a run, the task is reaped and another finishes it. */
export function killedAndFinished(): { story: Story; id: string } {
  const story = new Story();
  const id = story.submit();
  story.pass(5).claim(id);
  story.pass(100).die('worker-1.1');
  story.pass(leaseMs - 100 + reaperMs).reap(id, true);
  story.pass(10).claim(id, 'worker-2.1');
  story.pass(50).complete(id, 'worker-2.1');
  return { story, id };
}
