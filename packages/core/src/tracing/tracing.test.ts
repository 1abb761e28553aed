import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { inProcess } from '../worker/executor.ts';
import { done, fanOut, type Handlers } from '../worker/handler.ts';
import { Worker } from '../worker/worker.ts';

const suite = schedulerSuite();
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeEach(() => exporter.reset());
afterAll(async () => {
  trace.disable();
  await provider.shutdown();
});

const HANDLERS: Handlers = {
  work: async () => done(null),
  fails: () => Promise.reject(Object.assign(new Error('no such picture'), { code: 'corrupt_document' })),
  document: async (context) => (context.children === null ? fanOut([1, 2].map(() => ({ type: 'page', payload: null }))) : done(null)),
  page: async () => done(null),
};

/** Submits a task, runs it to its end, and answers what was recorded meanwhile. */
async function spansOf(type: string): Promise<readonly ReadableSpan[]> {
  const { scheduler } = await suite.open({ settings: { maxRetries: 0 } });
  const worker = new Worker({ connection: suite.connection, queues: [scheduler.queue], executor: inProcess(HANDLERS), slots: 2 });
  const { id } = await scheduler.queue.submit(type, null);
  await worker.start();
  await vi.waitFor(async () => expect(await scheduler.state(id)).toMatch(/completed|dead_letter/), { timeout: 5_000, interval: 10 });
  await worker.stop(0);
  return exporter.getFinishedSpans();
}

const named = (spans: readonly ReadableSpan[], name: string, type: string): ReadableSpan[] =>
  spans.filter((span) => span.name === name && span.attributes['galley.task.type'] === type);

describe('without an SDK', () => {
  it('nothing is recorded, and nothing is carried', async () => {
    const { scheduler } = await suite.open();
    const { id } = await scheduler.queue.submit('work', null);
    expect((await scheduler.get(id)).header).toEqual({ type: 'work' });
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});

describe('with an SDK', () => {
  beforeEach(() => {
    trace.setGlobalTracerProvider(provider);
  });

  it('submit, wait, run and pages are one trace', async () => {
    const spans = await spansOf('document');
    const [submit] = named(spans, 'galley.submit', 'document');
    const [wait] = named(spans, 'galley.wait', 'document');
    const [first, second, ...more] = named(spans, 'galley.run', 'document');
    const pages = named(spans, 'galley.run', 'page');
    expect([pages.length, more.length, new Set(spans.map((span) => span.spanContext().traceId)).size]).toEqual([2, 0, 1]);
    expect(submit?.attributes).toMatchObject({ 'galley.task.id': first?.attributes['galley.task.id'], 'galley.task.duplicate': false });
    for (const span of [wait, first, second]) expect(span?.parentSpanContext?.spanId).toBe(submit?.spanContext().spanId);
    for (const page of pages) expect(page.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
    expect(named(spans, 'galley.wait', 'page')).toHaveLength(2);
    expect([first, second].map((span) => span?.attributes['galley.run.fence'])).toEqual([1, 2]);
  });

  it('a run that fails says with what', async () => {
    const [run] = named(await spansOf('fails'), 'galley.run', 'fails');
    expect(run?.status).toMatchObject({ code: 2, message: 'no such picture' });
    expect(run?.attributes['galley.error.code']).toBe('corrupt_document');
  });

  it('a submit that is refused is an error of its own', async () => {
    const { scheduler } = await suite.open();
    await expect(scheduler.queue.submit('work', null, { priority: 0 })).rejects.toThrow(/priority 0/);
    expect(exporter.getFinishedSpans()[0]?.status).toMatchObject({ code: 2, message: expect.stringContaining('priority 0') });
  });
});
