import { describe, expect, it } from 'vitest';
import { RECORD_FLAGS } from '../rules/record.ts';
import { releaseAll } from '../testing/batches.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('release', () => {
  it('puts the task back in its own place with no attempt and no crash, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id, fence } = await given.processing({ priority: 42 });
    const changed = await changes(async () => expect(await scheduler.release('w1', id, fence)).toBe('pending'));
    expect(changed).toEqual({
      [`leases ${id}`]: [NUMBER, undefined],
      [`processing ${id}`]: [true, undefined],
      [`locks ${id}`]: ['w1#1', undefined],
      [`pending ${id}`]: [undefined, 42],
      [`records ${id} state`]: ['processing', 'pending'],
      [`records ${id} flags`]: [RECORD_FLAGS.runOpen, 0],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      'counts processing': [2, 1],
      'counts pending': [3, 4],
      'totals released': [undefined, 1],
    });
  });

  it('answers the same when it is asked again', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.released();
    expect(await changes(async () => expect(await scheduler.release('w1', id, fence)).toBe('pending'))).toEqual({});
  });

  it.each(['reaped', 'crashLooped', 'retrying', 'completed', 'cancelled', 'deadLettered'] as const)(
    'changes nothing of a %s task',
    async (state) => {
      const { scheduler, given, changes } = await suite.open();
      const { id, worker, fence } = await given[state]();
      expect(await changes(async () => expect(await scheduler.release(worker, id, fence)).toBe('lease_lost'))).toEqual({});
    },
  );

  it('tells missing from not yours, and w1 from w10', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing({ worker: 'w10' });
    const gone = await given.deadLettered();
    await scheduler.queue.purge([gone.id]);
    const changed = await changes(async () => {
      expect(await scheduler.release('w1', id, fence)).toBe('lease_lost');
      expect(await scheduler.release('w100', id, fence)).toBe('lease_lost');
      expect(await scheduler.release('w10', id, fence + 1)).toBe('lease_lost');
      expect(await scheduler.release('w1', gone.id, gone.fence)).toBe('missing');
    });
    expect(changed).toEqual({});
  });

  it('answers a batch row by row', async () => {
    const { scheduler, given } = await suite.open();
    const rows = [await given.processing(), await given.processing({ worker: 'w2' }), await given.reaped()];
    expect(await releaseAll(scheduler, 'w1', rows)).toEqual(['pending', 'lease_lost', 'lease_lost']);
  });
});
