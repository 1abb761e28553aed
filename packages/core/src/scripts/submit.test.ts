import { describe, expect, it } from 'vitest';
import { replayKey } from '../redis/keys.ts';
import { identityOf } from '../rules/identity.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { parseSubmit, type SubmitReply, submitOptions, submitScript } from './submit.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);
/** As callers without types hand it over. */
const untyped = (value: unknown): never => value as never;

function rawSubmit(scheduler: TestScheduler, requestId: string, rows: { suffix: string; identity?: string }[]): Promise<SubmitReply> {
  const { shard } = scheduler;
  const options = submitOptions({ priority: 100, delayMs: 0, maxRetries: 3, crashBudget: 5, gated: false, tags: {} });
  const values = {
    sequence_at: shard.sequenceAt,
    id_head: shard.idHead,
    request_id: requestId,
    replay_ms: 60_000,
    depth_limit: -1,
    clock_weight: 0,
    timeline_ms: 0,
  };
  const full = rows.map(({ suffix, identity = '' }) => ({ suffix, score: 100, options, identity, message: '{"type":"work"}\nnull' }));
  return scheduler.connection
    .run(submitScript, { ...shard.keys, replay: replayKey(shard.keys.base, 'client', 0) }, values, full)
    .then((words) => parseSubmit(words, rows.length));
}

describe('submit', () => {
  it('puts a task in line and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    let id = '';
    const changed = await changes(async () => {
      id = await scheduler.submit({ priority: 7, maxRetries: 2, crashBudget: 4 }, { page: 1 });
    });
    expect(changed).toEqual({
      [`pending ${id}`]: [undefined, 7],
      ...Object.fromEntries(
        Object.entries({
          state: 'pending',
          flags: 0,
          priority: 7,
          score: 7,
          fence: 0,
          attempts: 0,
          crashes: 0,
          maxRetries: 2,
          crashBudget: 4,
          createdAt: NUMBER,
          since: NUMBER,
          startedAt: 0,
          deferredSince: 0,
          progress: 0,
          worker: '',
        }).map(([field, value]) => [`records ${id} ${field}`, [undefined, value]]),
      ),
      [`messages ${id}`]: [undefined, '{"type":"work"}\n{"page":1}'],
      'counts pending': [NUMBER, NUMBER],
      'totals submitted': [NUMBER, NUMBER],
    });
    expect(changed['counts pending']?.[1]).toBe(Number(changed['counts pending']?.[0]) + 1);
  });

  it('keeps a delayed task by its due time', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.scheduled({ delayMs: 5_000 });
    const world = await scheduler.world();
    const record = world.records[id];
    expect(record?.state).toBe('scheduled');
    expect(world.due[id]).toBe(record?.since);
    expect(Number(record?.since) - Number(record?.createdAt)).toBe(5_000);
    expect(world.pending).toEqual({});
  });

  it('takes the identity and enters each tag', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending({ identity: ['bytes', 'options'], tags: { user: 'u1', filename: 'a "b"\n: c' } });
    const world = await scheduler.world();
    expect(world.identities).toEqual({ [identityOf(['work', 'bytes', 'options'])]: id });
    expect(world.tags).toEqual({ 'user:u1': [id], 'filename:a "b"\n: c': [id] });
  });

  it.each(['pending', 'scheduled', 'processing', 'retrying', 'waitingForChildren', 'completed'] as const)(
    'answers with the %s task of the same identity, and changes only a count',
    async (state) => {
      const { scheduler, given, changes } = await suite.open();
      const seed = { identity: ['same'] };
      const first = state === 'waitingForChildren' ? await given.waitingForChildren(2, seed) : await given[state](seed);
      const id = typeof first === 'string' ? first : first.id;
      const now = await scheduler.state(id);
      const changed = await changes(async () => {
        expect(await scheduler.queue.submit('work', null, seed)).toMatchObject({ id, duplicate: true, state: now, priority: 100 });
      });
      expect(changed).toEqual({ 'totals duplicates': [undefined, 1] });
    },
  );

  it.each(['cancelled', 'deadLettered', 'crashLooped'] as const)('takes the identity that a %s task has freed', async (state) => {
    const { scheduler, given } = await suite.open();
    const { id } = await given[state]({ identity: ['same'] });
    const second = await scheduler.queue.submit('work', null, { identity: ['same'] });
    expect(second.duplicate).toBe(false);
    expect(second.id).not.toBe(id);
    expect(Object.values((await scheduler.world()).identities)).toEqual([second.id]);
  });

  it('takes the identity of a completed task whose result is gone, and of one that never had any', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.completed({ identity: ['same'] });
    await given.completed({ identity: ['empty'], result: '' });
    await scheduler.connection.client.del(`${scheduler.shard.keys.base}result:${id}`);
    expect((await scheduler.queue.submit('work', null, { identity: ['same'] })).duplicate).toBe(false);
    expect((await scheduler.queue.submit('work', null, { identity: ['empty'] })).duplicate).toBe(false);
  });

  it('lifts the task that is there to a better priority, and never lowers it', async () => {
    const { scheduler, given } = await suite.open();
    const waiting = await given.pending({ identity: ['a'] });
    const { id: running } = await given.processing({ identity: ['b'] });
    expect(await scheduler.queue.submit('work', null, { identity: ['a'], priority: 1 })).toMatchObject({ id: waiting, priority: 1 });
    expect(await scheduler.queue.submit('work', null, { identity: ['b'], priority: 2 })).toMatchObject({ id: running, priority: 2 });
    expect(await scheduler.queue.submit('work', null, { identity: ['a'], priority: 1000 })).toMatchObject({ id: waiting, priority: 1 });
    const world = await scheduler.world();
    expect(world.pending).toEqual({ [waiting]: 1 });
    expect(world.records[running]).toMatchObject({ state: 'processing', priority: 2, score: 2 });
  });

  it('lifts the children of a waiting task with it', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(2, { identity: ['a'] });
    await scheduler.queue.submit('work', null, { identity: ['a'], priority: 1 });
    const world = await scheduler.world();
    expect(world.records[family.id]?.priority).toBe(1);
    expect(world.pending).toEqual(Object.fromEntries(family.children.map((id) => [id, 1])));
  });

  it('lifts under aging by the time the task was first submitted', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const id = await given.pending({ identity: ['a'], priority: 100 });
    await scheduler.queue.submit('work', null, { identity: ['a'], priority: 10 });
    const record = (await scheduler.world()).records[id];
    expect(record?.priority).toBe(10);
    expect(record?.score).toBe(Number(record?.createdAt) + 10 * 1_000);
  });

  it('makes one task of two of the same identity in one batch', async () => {
    const { scheduler } = await suite.open();
    const [first, second] = await Promise.all([1, 2].map(() => scheduler.queue.submit('work', null, { identity: ['same'] })));
    expect(second).toMatchObject({ id: first?.id, duplicate: true });
    expect(Object.keys((await scheduler.world()).records)).toEqual([first?.id]);
  });

  it('answers a request that comes again with the same tasks and adds nothing', async () => {
    const { scheduler, changes } = await suite.open();
    const rows = [{ suffix: 'aaaaaa' }, { suffix: 'bbbbbb', identity: 'identity-1' }, { suffix: 'cccccc', identity: 'identity-1' }];
    const first = await rawSubmit(scheduler, 'request-1', rows).catch(String);
    expect(await changes(async () => expect(await rawSubmit(scheduler, 'request-1', rows).catch(String)).toEqual(first))).toEqual({});
    const other = await rawSubmit(scheduler, 'request-2', [{ suffix: 'dddddd' }]);
    expect(other).not.toEqual(first);
    suite.expectFaults(scheduler); // its hand-made header does not carry the identity
  });

  it('takes of a batch what the depth limit has room for, counting what is due, and refuses the rest', async () => {
    const { scheduler, given, changes } = await suite.open({ settings: { depthLimit: 3 } });
    await given.pending();
    await given.scheduled();
    await given.processing();
    const refusal = { status: 'rejected', reason: { code: 'queue_full', retryAfterMs: 5_000 } };
    const [taken, ...refused] = await Promise.allSettled([scheduler.submit(), scheduler.submit(), scheduler.submit()]);
    expect(taken.status).toBe('fulfilled');
    expect(refused).toMatchObject([refusal, refusal]);
    expect(await changes(() => expect(scheduler.submit()).rejects.toMatchObject(refusal.reason))).toEqual({});
  });

  it('answers a duplicate to a full queue with the task that is there, and refuses only what is new', async () => {
    const { scheduler, changes } = await suite.open({ settings: { depthLimit: 1 } });
    const id = await scheduler.submit({ identity: ['same'] });
    const changed = await changes(async () => {
      const [duplicate, fresh] = await Promise.allSettled([
        scheduler.queue.submit('work', null, { identity: ['same'], priority: 7 }),
        scheduler.submit({ identity: ['other'] }),
      ]);
      expect(duplicate).toMatchObject({ status: 'fulfilled', value: { id, duplicate: true } });
      expect(fresh).toMatchObject({ status: 'rejected', reason: { code: 'queue_full' } });
    });
    expect(changed).toMatchObject({ [`pending ${id}`]: [100, 7], 'totals duplicates': [undefined, 1] });
    expect(changed).not.toHaveProperty('totals submitted');
  });

  it('carries 500 adds of one tick in one call and gives each its own id, in order', async () => {
    const { scheduler } = await suite.open();
    const before = await suite.connection.client.info('commandstats');
    const tasks = await Promise.all(Array.from({ length: 500 }, (_, index) => scheduler.submit({}, index)));
    const after = await suite.connection.client.info('commandstats');
    const calls = (text: string): number =>
      ['evalsha', 'eval'].reduce((sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(text)?.[1] ?? 0), 0);
    expect(calls(after) - calls(before)).toBeLessThanOrEqual(2);
    expect(new Set(tasks).size).toBe(500);
    expect(tasks.toSorted()).toEqual(tasks);
  });

  it('wakes the idle only when the head of the line improves', async () => {
    const { scheduler } = await suite.open();
    const heard: string[] = [];
    const subscriber = suite.connection.subscriber();
    await subscriber.subscribe(`${scheduler.shard.keys.base}wake`, 'end');
    const ended = new Promise<void>((resolve) =>
      subscriber.on('message', (channel, message) => (channel === 'end' ? resolve() : void heard.push(message))),
    );
    await scheduler.submit({ priority: 100 });
    await scheduler.submit({ priority: 100 });
    await scheduler.submit({ priority: 900 });
    await scheduler.submit({ priority: 10 });
    await scheduler.submit({ priority: 1, delayMs: 60_000 });
    await suite.connection.client.publish('end', '');
    await ended;
    subscriber.disconnect();
    expect(heard).toEqual(['100', '10']);
  });

  it.each([
    ['a fractional delay', { delayMs: 0.5 }],
    ['a negative delay', { delayMs: -1 }],
    ['an endless delay', { delayMs: Number.POSITIVE_INFINITY }],
    ['a retry count past its field', { maxRetries: 70_000 }],
    ['no crash budget', { crashBudget: 0 }],
    ['a crash budget past its field', { crashBudget: 300 }],
    ['a time limit that a timer cannot hold', { timeoutMs: 2 ** 31 }],
    ['a result without a life', { resultMs: 0 }],
    ['a priority that is no integer', { priority: 1.5 }],
    ['a tag that is not well-formed text', { tags: { user: '\ud800' } }],
    ['a concurrency key that is not well-formed text', { concurrencyKey: 'a\udfff' }],
    ['a concurrency key over 512 bytes', { concurrencyKey: 'é'.repeat(257) }],
    ['a concurrency key that is no text', { concurrencyKey: untyped(5), identity: ['same'] }],
    ['a fair user over 512 bytes', { fairUser: 'u'.repeat(513) }],
    ['a fair user that is no text', { fairUser: untyped(5) }],
    ['a fair user that is not well-formed text', { fairUser: '\ud800' }],
    ['a tag that is no text', { tags: { user: untyped(5) } }],
    ['an identity that is one text', { identity: untyped('abc') }],
    ['an identity with a part that is no text', { identity: ['a', untyped(5)] }],
  ])('refuses %s, and its neighbours in the batch are taken', async (_name, options) => {
    const { scheduler } = await suite.open();
    const [neighbour, refused] = await Promise.allSettled([scheduler.submit(), scheduler.submit(options)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'invalid_request' } });
    expect(neighbour.status).toBe('fulfilled');
    expect(Object.keys((await scheduler.world()).records)).toHaveLength(1);
  });

  it.each([[''], ['x'.repeat(129)], ['\ud800'], [untyped(5)], [untyped(null)]])(
    'refuses %j for a task type, and its neighbours are taken',
    async (type) => {
      const { scheduler } = await suite.open();
      const submit = (identity?: string[]): Promise<unknown> =>
        scheduler.queue.submit(type, null, identity === undefined ? {} : { identity });
      const [neighbour, ...refused] = await Promise.allSettled([scheduler.submit(), submit(), submit(['same'])]);
      for (const one of refused) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'invalid_request' } });
      expect(neighbour.status).toBe('fulfilled');
      expect(Object.keys((await scheduler.world()).records)).toHaveLength(1);
    },
  );
});
