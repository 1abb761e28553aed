import { afterEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { conformanceSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';
import { shortenResults } from '../worker/shorten-results.ts';

const suite = conformanceSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

it('P11: a result is gone on time by Redis’s own expiry, with no traffic and no process of ours; the record outlives it', async () => {
  const { scheduler, given } = await suite.open();
  const { id } = await given.completed({ resultLifeMs: 150 });
  const held = await scheduler.inspector.result(id);
  expect(held?.value).toBe('"done"');
  const key = `${scheduler.shard.keys.base}result:${id}`;
  // Nothing is asked of Redis until its time is over, so only its own expiry can take it.
  const from = performance.now();
  await until('its time is over', () => Promise.resolve(performance.now() - from > 250));
  expect(await suite.connection.client.exists(key)).toBe(0);
  expect(await scheduler.get(id)).toMatchObject({ state: 'completed', resultExpiresAt: null });
});

it('P11: expiry tells the time in the view, and a task may ask for its own', async () => {
  const { scheduler } = await suite.open({ settings: { resultMs: 60_000 } });
  await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') } });
  for (const [asked, expected] of [
    [undefined, 60_000],
    [5_000, 5_000],
  ] as const) {
    const id = await scheduler.submit(asked === undefined ? {} : { resultMs: asked });
    await until('it is done', async () => (await scheduler.state(id)) === 'completed');
    const task = await scheduler.get(id);
    expect(Math.abs(Number(task.resultExpiresAt) - Number(task.finishedAt) - expected)).toBeLessThan(50);
  }
});

it('P11: no result is written when a handler returns nothing, and a null is one', async () => {
  const { scheduler } = await suite.open();
  await workshop.worker(scheduler, suite.redis.server.url, {
    handlers: { nothing: () => Promise.resolve(undefined), nil: () => Promise.resolve(null) },
  });
  const [nothing, nil] = [await scheduler.queue.submit('nothing', null), await scheduler.queue.submit('nil', null)];
  await until('both are done', async () => (await scheduler.inspector.counts()).completed === 2);
  expect(await scheduler.inspector.result(nothing.id)).toBeNull();
  expect((await scheduler.inspector.result(nil.id))?.value).toBe('null');
});

it('P11: the document’s time starts at its assembly, and its pages’ results live until then', async () => {
  const { scheduler } = await suite.open({ settings: { resultMs: 60_000 } });
  await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(2), slots: 2 });
  const { id } = await scheduler.queue.submit('document', { pages: 5, ms: 20 });
  await until('it is assembled', async () => (await scheduler.state(id)) === 'completed');
  expect((await scheduler.inspector.result(id))?.value).toBe('{"completed":5,"failed":0,"total":5}');
  const pages = (await scheduler.inspector.children(id, 1, 5)).map((page) => page?.id ?? '');
  const expiries = await Promise.all(pages.map(async (page) => (await scheduler.inspector.result(page))?.expiresAt ?? 0));
  // However long the last page takes, the first one's result is there at the assembly.
  expect(Math.min(...expiries)).toBeGreaterThan((await scheduler.inspector.now()) + 60_000);
  // Assembly lets them go with the document, and never lengthens one.
  await shortenResults(suite.connection, scheduler.queue.layout, pages, 5_000);
  await shortenResults(suite.connection, scheduler.queue.layout, pages, 50_000);
  const now = await scheduler.inspector.now();
  for (const page of pages) expect(Number((await scheduler.inspector.result(page))?.expiresAt) - now).toBeLessThanOrEqual(5_000);
});

it('P11: reviving a dead page re-opens its document: waiting, a higher fence, a result and a time of its own anew', async () => {
  const { scheduler } = await suite.open();
  await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(2), slots: 2 });
  const { id } = await scheduler.queue.submit('document', { pages: 3, bad: 2 });
  await until('it is assembled', async () => (await scheduler.state(id)) === 'completed');
  const first = await scheduler.get(id);
  expect((await scheduler.inspector.result(id))?.value).toBe('{"completed":2,"failed":1,"total":3}');
  const [, bad] = await scheduler.inspector.children(id, 1, 3);
  expect(bad).toMatchObject({ state: 'dead_letter', errors: [{ code: 'corrupt_document' }] });
  expect(await scheduler.queue.revive([bad?.id ?? ''])).toEqual(['revived']);
  await until('it is assembled again', async () => {
    const again = await scheduler.get(id);
    return again.state === 'completed' && again.fence > first.fence + 1;
  });
  const again = await scheduler.get(id);
  expect(again.children).toEqual({ total: 3, completed: 2, failed: 1 });
  expect(Number(again.resultExpiresAt)).toBeGreaterThan(Number(first.resultExpiresAt));
});
