import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { decodeRecord, RECORD_BYTES, RECORD_FLAGS } from './record.ts';

const suite = schedulerSuite();

describe('a record', () => {
  it('written by scripts reads back field by field, at large values too', async () => {
    const { scheduler, given } = await suite.open({ settings: { deferredLimitMs: 10 ** 12 } });
    const id = await given.pending({ priority: 1_000, maxRetries: 65_535, crashBudget: 255, identity: ['a'], tags: { user: 'u' } });
    const first = await given.claimed(id, 'host-1-é');
    await scheduler.fail('host-1-é', id, first.fence, { class: 'crash', code: 'crash' });
    const second = await given.claimed(id, 'host-1-é');
    await scheduler.fail('host-1-é', id, second.fence, { class: 'deferred', code: 'rate_limited' });
    await scheduler.makeDue(id);
    await scheduler.promote();
    const third = await given.claimed(id, 'host-1-é');
    await scheduler.fail('host-1-é', id, third.fence, { class: 'transient' });
    await scheduler.makeDue(id);
    await scheduler.promote();
    const before = await scheduler.inspector.now();
    const fourth = await given.claimed(id, 'host-1-é');
    await scheduler.renew('host-1-é', id, fourth.fence, 3_333);
    const { key, field } = scheduler.recordAt(id);
    const bytes = await suite.connection.client.hgetBuffer(key, field);
    if (bytes === null) throw new Error('the record is gone');
    expect(bytes).toHaveLength(RECORD_BYTES + Buffer.byteLength('host-1-é'));
    const record = decodeRecord(bytes);
    expect(record).toEqual({
      state: 'processing',
      flags: RECORD_FLAGS.runOpen | RECORD_FLAGS.hasIdentity | RECORD_FLAGS.hasTags,
      priority: 1_000,
      score: 1_000,
      fence: 4,
      attempts: 1,
      crashes: 1,
      maxRetries: 65_535,
      crashBudget: 255,
      createdAt: expect.any(Number),
      since: expect.any(Number),
      startedAt: record.since,
      deferredSince: expect.any(Number),
      progress: 0.3333,
      worker: 'host-1-é',
    });
    expect(record.startedAt).toBeGreaterThanOrEqual(before);
    expect(record.startedAt - before).toBeLessThan(5_000);
    for (const time of [record.createdAt, record.deferredSince]) {
      expect(time).toBeLessThanOrEqual(before);
      expect(before - time).toBeLessThan(5_000);
    }
  });

  it('keeps an aging score to the last millisecond', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const id = await given.pending({ priority: 999 });
    const { records, pending } = await scheduler.world();
    expect(records[id]?.score).toBe(pending[id]);
    expect(records[id]?.score).toBe(Number(records[id]?.createdAt) + 999_000);
  });

  it('of a version this build does not know is refused, not misread', () => {
    const bytes = Buffer.alloc(RECORD_BYTES);
    bytes.writeUInt8(2, 0);
    expect(() => decodeRecord(bytes)).toThrow(/format version 2 .* knows version 1/);
  });

  it('that is cut short, or in a state that there is not, is refused', () => {
    const bytes = Buffer.alloc(RECORD_BYTES);
    bytes.writeUInt8(1, 0);
    expect(() => decodeRecord(bytes.subarray(0, RECORD_BYTES - 1))).toThrow(/record/);
    bytes.writeUInt8(99, 1);
    expect(() => decodeRecord(bytes)).toThrow(/unknown state 99/);
  });
});
