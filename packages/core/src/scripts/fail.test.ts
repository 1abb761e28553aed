import { describe, expect, it } from 'vitest';
import { RECORD_FLAGS } from '../rules/record.ts';
import { failAll } from '../testing/batches.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('fail', () => {
  it('lets a transient error wait and spends a retry, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id, fence } = await given.processing();
    const now = await scheduler.inspector.now();
    const changed = await changes(async () =>
      expect(await scheduler.fail('w1', id, fence, { class: 'transient', code: 'engine_failed', delayMs: 60_000 })).toBe('retrying'),
    );
    expect(changed).toEqual({
      [`leases ${id}`]: [NUMBER, undefined],
      [`processing ${id}`]: [true, undefined],
      [`locks ${id}`]: ['w1#1', undefined],
      [`due ${id}`]: [undefined, NUMBER],
      [`errors ${id}`]: [undefined, 'engine_failed'],
      [`records ${id} state`]: ['processing', 'retrying'],
      [`records ${id} flags`]: [RECORD_FLAGS.runOpen, 0],
      [`records ${id} attempts`]: [0, 1],
      [`records ${id} since`]: [NUMBER, NUMBER],
      'counts processing': [2, 1],
      'counts retrying': [1, 2],
      'totals failed': [NUMBER, NUMBER],
      'totals failed_runs': [NUMBER, NUMBER],
      'totals retried': [1, 2],
    });
    expect(Number(changed[`due ${id}`]?.[1]) - now).toBeGreaterThanOrEqual(60_000);
    expect(Number(changed[`due ${id}`]?.[1]) - now).toBeLessThan(61_000);
  });

  it('makes a permanent error a dead letter at once, filed under its code, with its identity free', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id, fence } = await given.processing({ identity: ['a'] });
    const changed = await changes(async () =>
      expect(await scheduler.fail('w1', id, fence, { class: 'permanent', code: 'encrypted_document' })).toBe('dead_letter'),
    );
    expect(changed).toEqual({
      [`leases ${id}`]: [NUMBER, undefined],
      [`processing ${id}`]: [true, undefined],
      [`locks ${id}`]: ['w1#1', undefined],
      [`dead ${id}`]: [undefined, true],
      [`tags code:encrypted_document ${id}`]: [undefined, true],
      [`errors ${id}`]: [undefined, 'encrypted_document'],
      ...Object.fromEntries(Object.entries(changed).filter(([path]) => path.startsWith('identities '))),
      [`records ${id} state`]: ['processing', 'dead_letter'],
      [`records ${id} flags`]: [RECORD_FLAGS.runOpen | RECORD_FLAGS.hasIdentity, RECORD_FLAGS.hasIdentity],
      [`records ${id} attempts`]: [0, 1],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      'counts processing': [2, 1],
      'counts dead_letter': [1, 2],
      'counts dead:encrypted_document': [undefined, 1],
      'totals failed': [NUMBER, NUMBER],
      'totals failed_runs': [NUMBER, NUMBER],
      'totals dead_lettered': [1, 2],
    });
    const identities = (await scheduler.world()).identities;
    expect(Object.values(identities)).not.toContain(id);
  });

  it('runs max retries + 1 times, then dies of its last error', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending({ maxRetries: 2 });
    const words = [];
    for (let run = 1; run <= 3; run++) {
      const { fence } = await given.claimed(id);
      words.push(await scheduler.fail('w1', id, fence, { class: 'transient', code: 'engine_failed' }));
      await scheduler.promote();
    }
    expect(words).toEqual(['retrying', 'retrying', 'dead_letter']);
    expect(await scheduler.get(id)).toMatchObject({ state: 'dead_letter', attempts: 3 });
    expect((await scheduler.world()).tags).toEqual({ 'code:engine_failed': [id] });
  });

  it('dies at the first error where no retries are allowed', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing({ maxRetries: 0 });
    expect(await scheduler.fail('w1', id, fence)).toBe('dead_letter');
  });

  it('lets a deferred error wait without spending a retry, until its total bound', async () => {
    const { scheduler, given } = await suite.open({ settings: { deferredLimitMs: 10_000 } });
    const id = await given.pending({ maxRetries: 0 });
    for (let run = 1; run <= 4; run++) {
      const { fence } = await given.claimed(id);
      expect(await scheduler.fail('w1', id, fence, { class: 'deferred', code: 'upstream_rate_limited' })).toBe('retrying');
      await scheduler.promote();
    }
    expect(await scheduler.get(id)).toMatchObject({ attempts: 0, state: 'pending' });
    const { fence } = await given.claimed(id);
    const failure = { class: 'deferred', code: 'upstream_rate_limited', delayMs: 10_001 } as const;
    expect(await scheduler.fail('w1', id, fence, failure)).toBe('dead_letter');
    expect((await scheduler.world()).counts).toEqual({ dead_letter: 1, 'dead:upstream_rate_limited': 1 });
  });

  it('spends the crash budget on a crash, no retry, and gives the task back at once', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending({ crashBudget: 2, maxRetries: 0, priority: 33 });
    const first = await given.claimed(id);
    expect(await scheduler.fail('w1', id, first.fence, { class: 'crash', code: 'crash' })).toBe('pending');
    expect(await scheduler.get(id)).toMatchObject({ state: 'pending', crashes: 1, attempts: 0 });
    expect((await scheduler.world()).pending).toEqual({ [id]: 33 });
    const second = await given.claimed(id);
    expect(await scheduler.fail('w1', id, second.fence, { class: 'crash', code: 'crash' })).toBe('dead_letter');
    const world = await scheduler.world();
    expect(world.errors[id]).toBe('crash crash crash_loop');
    expect(world.tags).toEqual({ 'code:crash_loop': [id] });
  });

  it('keeps the last 20 errors, the newest last', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending({ maxRetries: 100 });
    for (let run = 1; run <= 23; run++) {
      const { fence } = await given.claimed(id);
      await scheduler.fail('w1', id, fence, { code: run === 23 ? 'engine_failed' : 'timeout' });
      await scheduler.promote();
    }
    const { errors } = await scheduler.get(id);
    expect(errors.map((error) => error.attempt)).toEqual(Array.from({ length: 20 }, (_, index) => index + 4));
    expect(errors.at(-1)).toMatchObject({ code: 'engine_failed', fence: 23 });
  });

  it('answers the same when it is asked again', async () => {
    const { scheduler, given, changes } = await suite.open();
    const [waits, dead] = [await given.retrying(), await given.deadLettered()];
    const crashed = await given.processing();
    expect(await scheduler.fail('w1', crashed.id, crashed.fence, { class: 'crash', code: 'crash' })).toBe('pending');
    const changed = await changes(async () => {
      expect(await scheduler.fail('w1', waits.id, waits.fence)).toBe('retrying');
      expect(await scheduler.fail('w1', dead.id, dead.fence)).toBe('dead_letter');
      expect(await scheduler.fail('w1', crashed.id, crashed.fence)).toBe('pending');
    });
    expect(changed).toEqual({});
  });

  it.each([
    ['reaped', 'lease_lost'],
    ['crashLooped', 'lease_lost'],
    ['completed', 'lease_lost'],
    ['cancelled', 'cancelled'],
  ] as const)('refuses the last holder of a %s task: %s', async (state, word) => {
    const { scheduler, given, changes } = await suite.open();
    const { id, worker, fence } = await given[state]();
    expect(await changes(async () => expect(await scheduler.fail(worker, id, fence)).toBe(word))).toEqual({});
  });

  it('refuses the holder of a crash-looped task that has been revived', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, worker, fence } = await given.crashLooped();
    await scheduler.queue.revive([id]);
    expect(await changes(async () => expect(await scheduler.fail(worker, id, fence)).toBe('lease_lost'))).toEqual({});
  });

  it('tells missing from not yours, and w1 from w10', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing({ worker: 'w10' });
    const cancelled = await given.cancelled({ worker: 'w10' });
    const gone = await given.deadLettered();
    await scheduler.queue.purge([gone.id]);
    const changed = await changes(async () => {
      expect(await scheduler.fail('w1', id, fence)).toBe('lease_lost');
      expect(await scheduler.fail('w100', id, fence)).toBe('lease_lost');
      expect(await scheduler.fail('w10', id, fence + 1)).toBe('lease_lost');
      expect(await scheduler.fail('w1', cancelled.id, cancelled.fence)).toBe('lease_lost');
      expect(await scheduler.fail('w1', gone.id, gone.fence)).toBe('missing');
    });
    expect(changed).toEqual({});
  });

  it('answers a batch row by row', async () => {
    const { scheduler, given } = await suite.open();
    const rows = [await given.processing(), await given.processing(), await given.processing({ worker: 'w2' }), await given.processing()];
    const classes = ['transient', 'permanent', 'transient', 'crash'] as const;
    const words = await failAll(
      scheduler,
      'w1',
      rows.map((row, index) => ({ id: row.id, fence: row.fence, class: classes[index] ?? 'transient' })),
    );
    expect(words).toEqual(['retrying', 'dead_letter', 'lease_lost', 'pending']);
  });

  it('resumes the parent when its last child dies', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await given.childCompleted(first);
    await given.childDead(second);
    const world = await scheduler.world();
    expect(world.pending).toEqual({ [family.id]: 100 });
    expect(world.children[family.id]).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(world.totals['child:failed']).toBe(1);
  });
});
