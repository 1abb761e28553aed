import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
type Scheduler = Awaited<ReturnType<typeof suite.open>>['scheduler'];

const index = { kind: 'tag', tag: 'type', value: 'document' } as const;

async function submitted(scheduler: Scheduler, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) ids.push(await scheduler.submit({ tags: { type: 'document' } }));
  return ids;
}

/** All pages of a list, one after the other. */
async function walk(
  scheduler: Scheduler,
  limit: number,
  order: 'newest' | 'oldest' = 'newest',
  between: () => Promise<unknown> = async () => null,
): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await scheduler.inspector.list({ index, order, limit, ...(cursor === null ? {} : { cursor }) });
    expect(page.tasks.length).toBeLessThanOrEqual(limit);
    seen.push(...page.tasks.map((task) => task.id));
    cursor = page.nextCursor;
    await between();
  } while (cursor !== null);
  return seen;
}

describe('listTasks', () => {
  it.each([1, 2, 7, 50])('walks all shards by pages of %i, each task once, newest first', async (limit) => {
    const { scheduler } = await suite.open({ shards: 4 });
    const ids = await submitted(scheduler, 23);
    const seen = await walk(scheduler, limit);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const times = await Promise.all(seen.map(async (id) => (await scheduler.get(id)).createdAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('walks oldest first as well', async () => {
    const { scheduler } = await suite.open({ shards: 3 });
    const ids = await submitted(scheduler, 10);
    expect((await walk(scheduler, 3, 'oldest')).toSorted()).toEqual(ids.toSorted());
  });

  it('shows what stood there at the start once each, while tasks come, move and go between pages', async () => {
    const { scheduler, given } = await suite.open({ shards: 2 });
    const ids = await submitted(scheduler, 12);
    const seen = await walk(scheduler, 4, 'newest', async () => {
      await submitted(scheduler, 2);
      const { tasks } = await scheduler.claim('w1');
      for (const task of tasks) await scheduler.complete('w1', task.id, task.record.fence);
      await given.scheduled({ tags: { type: 'document' } });
    });
    for (const id of ids) expect(seen.filter((other) => other === id)).toEqual([id]);
  });

  it('tells ties of one millisecond apart by id', async () => {
    const { scheduler } = await suite.open({ shards: 1 });
    const ids = (
      await Promise.all(Array.from({ length: 60 }, () => scheduler.queue.submit('work', null, { tags: { type: 'document' } })))
    ).map((task) => task.id);
    expect(await walk(scheduler, 7)).toEqual(ids.toReversed());
  });

  it('passes over what a filter refuses and still ends', async () => {
    const { scheduler } = await suite.open({ shards: 2 });
    await submitted(scheduler, 9);
    const kept = await scheduler.submit({ tags: { type: 'document' }, priority: 7 });
    await submitted(scheduler, 9);
    const page = await scheduler.inspector.list({ index, order: 'newest', limit: 5, accepts: (task) => task.priority === 7 });
    expect(page.tasks.map((task) => task.id)).toEqual([kept]);
    expect(page.nextCursor).toBeNull();
  });

  it('refuses a cursor that is none', async () => {
    const { scheduler } = await suite.open();
    await expect(scheduler.inspector.list({ index, order: 'newest', limit: 5, cursor: 'bm90IG91cnM' })).rejects.toThrow(
      'start again without it',
    );
  });

  it('lists dead letters by time of death and counts an index', async () => {
    const { scheduler, given } = await suite.open({ shards: 2 });
    const first = await given.deadLettered({ code: 'encrypted_document' });
    const second = await given.deadLettered({ code: 'corrupt_document' });
    const all = await scheduler.inspector.list({ index: { kind: 'dead' }, order: 'oldest', limit: 10 });
    expect(all.tasks.map((task) => task.id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(await scheduler.inspector.count({ kind: 'tag', tag: 'code', value: 'encrypted_document' })).toBe(1);
    expect(await scheduler.inspector.deadByCode()).toEqual({ encrypted_document: 1, corrupt_document: 1 });
    const now = await scheduler.inspector.now();
    expect((await scheduler.inspector.deadPerHour('encrypted_document', now, 24)).reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});
