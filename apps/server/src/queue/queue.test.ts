import { historySchema, type QueueSnapshot, queueNamesSchema, queueSnapshotSchema, workerListSchema } from '@galley/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readsAs } from '../testing/documents.ts';
import { pngBytes, TestServer } from '../testing/start.ts';
import { slidingRates } from './rates.ts';

let galley: TestServer;
const snapshot = async (): Promise<QueueSnapshot> => queueSnapshotSchema.parse((await galley.call('GET', '/api/v1/queue')).body);

beforeAll(async () => {
  galley = await TestServer.start();
});
afterAll(() => galley.stop());

describe('the queue', () => {
  test('is told whole: counts, bands, shards, rates, workers and alerts', async () => {
    for (const priority of ['urgent', 'high', 'normal', 'bulk'])
      await galley.upload([{ name: 'a.png', bytes: pngBytes(priority) }], { priority });
    const before = await snapshot();
    expect(before).toMatchObject({
      queue: 'ocr',
      counts: { pending: 4, completed: 0 },
      pending_by_band: { urgent: 1, high: 1, normal: 1, bulk: 1 },
      pages: { pending: 4 },
      workers: { count: 0, slots: 0, busy: 0 },
      rates: { submitted_per_minute: 4 },
    });
    expect(before.shards.reduce((sum, shard) => sum + shard.pending, 0)).toBe(4);
    expect(before.alerts.map((alert) => alert.code)).toEqual(expect.arrayContaining(['no_workers', 'redis_policy']));
    const worker = await galley.work(readsAs(galley.blobs, 'x'), 2);
    const after = await vi.waitFor(async () => {
      const now = await snapshot();
      expect(now.counts.completed).toBe(4);
      return now;
    });
    expect(after).toMatchObject({
      workers: { count: 1, slots: 2 },
      pages: { pending: 0, per_minute: 4 },
      rates: { completed_per_minute: 4 },
    });
    expect(after.run_ms.p50).toBeGreaterThanOrEqual(0);
    expect(after.alerts.map((alert) => alert.code)).not.toContain('no_workers');
    const workers = workerListSchema.parse((await galley.call('GET', '/api/v1/workers')).body).workers;
    expect(workers).toMatchObject([{ worker_id: worker.id, pid: process.pid, queues: ['ocr'], slots: 2, version: 'test' }]);
    expect(workers[0]?.cpu_seconds).toBeGreaterThan(0);
    expect(workers[0]?.standstill_ms).toBeGreaterThanOrEqual(0);
    const metrics = String((await galley.call('GET', '/metrics')).body);
    expect(metrics).toMatch(/^galley_workers 1$/m);
    expect(metrics).toMatch(/^galley_workers_resident_memory_bytes [1-9]\d{6,}$/m);
    expect(metrics).toMatch(/^galley_workers_standstill_seconds \d/m);
    await worker.stop(0);
  });

  test('is paused and resumed, which the answer and the audit show at once', async () => {
    expect(queueSnapshotSchema.parse((await galley.call('POST', '/api/v1/queue/pause?queue=ocr')).body).paused).toBe(true);
    expect(queueNamesSchema.parse((await galley.call('GET', '/api/v1/queues')).body).queues).toEqual([
      { queue: 'ocr', shards: 8, live: 0, paused: true },
    ]);
    expect(queueSnapshotSchema.parse((await galley.call('POST', '/api/v1/queue/resume')).body).paused).toBe(false);
    expect((await galley.call('GET', '/api/v1/audit')).body).toMatchObject({
      entries: [{ action: 'resume' }, { action: 'pause', detail: 'queue ocr' }],
    });
  });

  test('has a history by minute', async () => {
    const history = historySchema.parse((await galley.call('GET', '/api/v1/queue/history?range=15m')).body);
    expect(history).toMatchObject({ queue: 'ocr', range: '15m' });
    expect((await galley.call('GET', '/api/v1/queue/history?range=7d')).status).toBe(400);
  });

  test('gives its metrics in the text format, with counters that agree with what was done', async () => {
    const { body, headers } = await galley.call('GET', '/metrics');
    const text = String(body);
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(text).toContain('galley_tasks{queue="ocr",state="completed"} 4\n');
    expect(text).toContain('galley_tasks_total{queue="ocr",type="document",outcome="completed"} 4\n');
    expect(text).toContain('galley_pages_total{engine="onnx",outcome="done"} 4\n');
    expect(text).toContain('galley_task_run_seconds_bucket{queue="ocr",le="+Inf"} 4\n');
    expect(text).toContain('galley_task_run_seconds_count{queue="ocr"} 4\n');
    expect(text).toMatch(/^galley_redis_up 1$/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    for (const line of text.split('\n')) expect(line).toMatch(/^(#.*|[a-z_0-9]+(\{.*\})? [-+.\deInfNa]+( \d+)?)?$/);
  });
});

describe('rates', () => {
  test('take all of this minute and the part of the last that lies within sixty seconds', () => {
    const [previous, present] = [
      { submitted: 60, completed: 30, 'counter:pages': 90 },
      { submitted: 10, 'child:submitted': 5 },
    ];
    expect(slidingRates(previous, present, 60_000 * 7 + 15_000)).toEqual({
      submitted_per_minute: 60,
      completed_per_minute: 22.5,
      failed_per_minute: 0,
      pages_per_minute: 67.5,
    });
  });
});
