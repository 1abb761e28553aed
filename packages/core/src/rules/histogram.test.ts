import { describe, expect, it } from 'vitest';
import { claimScript } from '../scripts/claim.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { bucketEnd, durationBucket, mergeHistograms, quantile, readHistogram } from './histogram.ts';

const suite = schedulerSuite();

describe('duration histograms', () => {
  it('put a duration in the bucket whose end it does not pass', () => {
    for (const ms of [0, 1, 2, 3, 4, 5, 7, 8, 100, 1_000, 59_999, 3_600_000]) {
      const bucket = durationBucket(ms);
      expect(ms).toBeLessThanOrEqual(bucketEnd(bucket) * (1 + 1e-9));
      if (bucket > 0) expect(ms).toBeGreaterThan(bucketEnd(bucket - 1) * (1 - 1e-9));
    }
  });

  it('are filled by scripts with the same buckets, through a real run', async () => {
    const { scheduler, given } = await suite.open();
    for (const wait of [0, 1, 2, 3, 5, 100, 1_448, 1_449, 65_536, 65_537, 5_000_000]) {
      const id = await given.pending();
      const { key } = scheduler.recordAt(id);
      const packed = await suite.connection.client.hgetBuffer(key, id);
      if (packed === null) throw new Error('the record is gone');
      // `since`, six bytes at 30 (rules/record.ts), set back by the wait.
      packed.writeUIntBE(packed.readUIntBE(30, 6) - wait, 30, 6);
      await suite.connection.client.hset(key, id, packed);
      const before = (await scheduler.world()).totals;
      const at = await scheduler.claim('w1');
      const waited = at.at - packed.readUIntBE(30, 6);
      const after = (await scheduler.world()).totals;
      const grown = Object.keys(after).filter((field) => field.startsWith('wait:') && after[field] !== before[field]);
      expect(grown).toEqual([`wait:${durationBucket(waited)}`]);
    }
  });

  it('are the same in Lua for thousands of durations', async () => {
    // The function as a real script has it.
    const fragment = claimScript.source;
    const start = fragment.indexOf('local function bucket_of_duration');
    const end = fragment.indexOf('\nend\n', start) + 4;
    const durations = [
      ...Array.from({ length: 3_000 }, (_, ms) => ms),
      ...Array.from({ length: 2_000 }, (_, step) => Math.round(1.011 ** step * 7)),
    ].filter((ms) => ms < 2 ** 40);
    for (let from = 0; from < durations.length; from += 1_000) {
      const some = durations.slice(from, from + 1_000);
      const script = `${fragment.slice(start, end)}\nlocal out = {}\nfor i = 1, #ARGV do out[i] = bucket_of_duration(tonumber(ARGV[i])) end\nreturn out`;
      expect(await suite.connection.client.eval(script, 0, ...some.map(String))).toEqual(some.map(durationBucket));
    }
  });

  it('read their fields and nothing else', () => {
    const histogram = readHistogram({ 'wait:0': 3, 'wait:11': 2, 'child:wait:3': 9, completed: 4, 'wait:x': 1, 'wait:5': 0 }, 'wait:');
    expect([...histogram]).toEqual([
      [0, 3],
      [11, 2],
    ]);
  });

  it('merge by adding', () => {
    expect([
      ...mergeHistograms([
        new Map([[1, 2]]),
        new Map([
          [1, 3],
          [4, 1],
        ]),
      ]),
    ]).toEqual([
      [1, 5],
      [4, 1],
    ]);
  });

  it('give quantiles within a bucket’s width, null where nothing was counted', () => {
    expect(quantile(new Map(), 0.5)).toBeNull();
    const durations = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const histogram = new Map<number, number>();
    for (const ms of durations) histogram.set(durationBucket(ms), (histogram.get(durationBucket(ms)) ?? 0) + 1);
    for (const q of [0.5, 0.95, 0.99]) {
      const exact = q * 1_000;
      const read = quantile(histogram, q) ?? 0;
      expect(read).toBeGreaterThan(exact / Math.SQRT2);
      expect(read).toBeLessThan(exact * Math.SQRT2);
    }
    expect(quantile(histogram, 1)).toBeGreaterThanOrEqual(1_000);
  });
});
