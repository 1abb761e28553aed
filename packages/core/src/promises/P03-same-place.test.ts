import { describe, expect, it } from 'vitest';
import type { Bench } from '../testing/suite.ts';
import { conformanceSuite } from '../testing/suite.ts';

const suite = conformanceSuite();

const WAYS_BACK = {
  'a crash': ({ given }, id) => given.claimed(id).then(() => given.loseLease(id)),
  'a crash of its thread': ({ given, scheduler }, id) =>
    given.claimed(id).then((run) => scheduler.fail('w1', id, run.fence, { class: 'crash', code: 'crash' })),
  'a hand-back': ({ given, scheduler }, id) => given.claimed(id).then((run) => scheduler.release('w1', id, run.fence)),
  'a retry': async ({ given, scheduler }, id) => {
    const run = await given.claimed(id);
    await scheduler.fail('w1', id, run.fence, { class: 'transient', delayMs: 60_000 });
    await scheduler.makeDue(id);
    await scheduler.promote();
  },
  'a deferral': async ({ given, scheduler }, id) => {
    const run = await given.claimed(id);
    await scheduler.fail('w1', id, run.fence, { class: 'deferred', code: 'rate_limited', delayMs: 60_000 });
    await scheduler.makeDue(id);
    await scheduler.promote();
  },
  'a revival': async ({ given, scheduler }, id) => {
    const run = await given.claimed(id);
    await scheduler.fail('w1', id, run.fence, { class: 'permanent' });
    await scheduler.queue.revive([id]);
  },
} satisfies Record<string, (bench: Bench, id: string) => Promise<unknown>>;

const VARIANTS = (['strict', 'aging', 'fair'] as const).flatMap((order) => [true, false].map((lockKeys) => [order, lockKeys] as const));

describe.each(VARIANTS)('P3: the same place, order %s, lock keys %s', (order, lockKeys) => {
  it.each(Object.keys(WAYS_BACK) as (keyof typeof WAYS_BACK)[])(
    'after %s a task is claimed where it stood, not first and not last',
    async (way) => {
      const bench = await suite.open({ order, lockKeys });
      const { scheduler, given } = bench;
      const tasks: string[] = [];
      for (const priority of [10, 10, 10, 100, 100, 100, 500]) tasks.push(await given.pending({ priority }));
      const before = (await scheduler.world()).pending;
      // Every second one goes away and comes back, the last of them first.
      for (const index of [5, 3, 1]) await WAYS_BACK[way](bench, tasks[index] ?? '');
      expect((await scheduler.world()).pending).toEqual(before);
      const claimed = (await scheduler.claim('w9', { limit: 10 })).tasks.map((task) => task.id);
      expect(claimed).toEqual(tasks);
    },
  );
});

it('P3: children stand right behind their parent’s place, in their own order, before later tasks of equal priority', async () => {
  const { scheduler, given } = await suite.open();
  const family = await given.waitingForChildren(12);
  const later = await given.pending();
  const urgent = await given.pending({ priority: 1 });
  await given.claimed(family.children[4] ?? '');
  await given.loseLease(family.children[4] ?? '');
  const claimed = (await scheduler.claim('w9', { limit: 20 })).tasks.map((task) => task.id);
  expect(claimed).toEqual([urgent, ...family.children, later]);
});

it('P3: a scheduled task stands where it was submitted once its time has come', async () => {
  const { scheduler, given } = await suite.open();
  const first = await given.scheduled();
  const second = await given.pending();
  await scheduler.makeDue(first);
  await scheduler.promote();
  expect((await scheduler.claim('w9', { limit: 2 })).tasks.map((task) => task.id)).toEqual([first, second]);
});
