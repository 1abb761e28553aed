import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../rules/message.ts';
import { startTestRedis, TestScheduler, until } from '../testing/scheduler.ts';
import { type Journal, threads, Workshop } from '../testing/workers.ts';
import { type AbortReason, abortError } from './abort-reason.ts';
import type { Execution, Executor } from './executor.ts';
import type { TaskDelivery } from './handler.ts';

const workshop = new Workshop();
let executor: Executor;
beforeAll(async () => {
  executor = threads(2, { heapMb: 48 });
  await executor.start();
});
afterAll(() => executor.stop());
afterEach(() => workshop.sweep());

function delivery(type: string, payload: Json = null): TaskDelivery {
  return { id: 'q-00-000000000001-aaaaaa', queue: 'q', type, payload, priority: 100, fence: 1, attempt: 1, crashes: 0, children: null };
}

interface Started {
  readonly execution: Promise<Execution>;
  readonly progress: number[];
  abort(reason: AbortReason): void;
}

function execute(type: string, payload: Json = null): Started {
  const controller = new AbortController();
  const progress: number[] = [];
  const execution = executor.execute(delivery(type, payload), controller, (fraction) => progress.push(fraction));
  return { execution, progress, abort: (reason) => controller.abort(abortError(reason, `told to stop: ${reason}`)) };
}

async function journal(): Promise<Journal> {
  return workshop.journal();
}

describe('a handler in a thread', () => {
  it('gets its task and gives its result', async () => {
    expect(await execute('work', { value: { deep: ['ü', 1, null] } }).execution).toMatchObject({
      ok: true,
      outcome: { outcome: 'done', json: '{"deep":["ü",1,null]}' },
    });
    expect(await execute('counted').execution).toMatchObject({ ok: true, outcome: { counters: { pages: 3 }, resultMs: 60_000 } });
    expect(await execute('returnNothing').execution).toMatchObject({ ok: true, outcome: { json: '' } });
  });

  it.each([
    ['throwCode', { code: 'encrypted_document' }, { class: 'permanent', code: 'encrypted_document' }],
    ['throwCode', { code: 'rate_limited', retryAfterMs: 7_000 }, { class: 'deferred', code: 'rate_limited', retryAfterMs: 7_000 }],
    ['throwCode', { code: 'engine_failed' }, { class: 'transient', code: 'engine_failed' }],
    ['throwFields', { status: 404 }, { class: 'permanent', code: 'upstream_rejected' }],
    ['throwFields', { status: 429, retryAfterMs: 10 }, { class: 'deferred', retryAfterMs: 10 }],
    ['throwFields', { code: 'ECONNRESET' }, { class: 'transient', code: 'upstream_failed' }],
    ['throwText', null, { class: 'transient', code: 'unknown_error', message: 'just words' }],
    ['no such type', null, { class: 'permanent', code: 'handler_missing' }],
    ['toString', null, { class: 'permanent', code: 'handler_missing' }],
  ])('keeps class and code of its error: %s %j', async (type, payload, failure) => {
    expect(await execute(type, payload).execution).toMatchObject({ ok: false, failure });
  });

  it('keeps the stack of its error', async () => {
    expect(await execute('throwCode', { code: 'engine_failed' }).execution).toMatchObject({
      failure: { stack: expect.stringContaining('handlers.mjs') },
    });
  });

  it('keeps what caused its error: it gives the class where the error itself gives none, and stands in the stack', async () => {
    expect(await execute('throwWithCause').execution).toMatchObject({
      failure: {
        class: 'transient',
        code: 'upstream_failed',
        message: 'the page failed',
        stack: expect.stringMatching(/^TypeError: the page failed\n[^]*handlers\.mjs[^]*\nCaused by: RangeError: its line was cut\n/),
      },
    });
  });

  it.each(['returnFunction', 'returnBigint', 'returnCircle'])(
    'that returns what is no data is a permanent failure, not a crash: %s',
    async (type) => {
      expect(await execute(type).execution).toMatchObject({
        ok: false,
        failure: { class: 'permanent', code: 'payload_invalid' },
      });
      expect(await execute('work', { value: 1 }).execution).toMatchObject({ ok: true });
    },
  );

  it.each(['cancelled', 'timeout', 'lease_lost', 'stopping'] as const)('hears why it is to stop: %s', async (reason) => {
    const codes = { cancelled: 'task_cancelled', timeout: 'timeout', lease_lost: 'lease_lost', stopping: 'shutting_down' };
    const run = execute('wait');
    run.abort(reason);
    expect(await run.execution).toMatchObject({ ok: false, failure: { code: codes[reason], message: `told to stop: ${reason}` } });
  });

  it.each(['forever', 'deaf'])('that does not heed its signal (%s) is ended after the grace, and its thread replaced', async (type) => {
    const notes = await journal();
    const run = execute(type, { file: notes.file });
    await notes.until('begin');
    const start = performance.now();
    run.abort('cancelled');
    expect(await run.execution).toMatchObject({
      ok: false,
      failure: { code: 'task_cancelled', message: expect.stringContaining('was ended') },
    });
    expect(performance.now() - start).toBeLessThan(1_000);
    const [first, second] = await Promise.all([execute('slow', { ms: 20 }).execution, execute('slow', { ms: 20 }).execution]);
    expect([first.ok, second.ok]).toEqual([true, true]);
  });

  it('settles only when it has really stopped, in native code too', async () => {
    const notes = await journal();
    const run = execute('native', { file: notes.file, seconds: 1 });
    const [begun] = await notes.until('begin');
    run.abort('timeout');
    expect(await run.execution).toMatchObject({ ok: false, failure: { code: 'timeout' } });
    expect(Date.now() - Number(begun?.at)).toBeGreaterThanOrEqual(1_000);
  });

  it('whose thread dies is a crash, and its neighbour never notices', async () => {
    const neighbour = execute('slow', { ms: 300, value: 'unharmed' });
    expect(await execute('exitThread').execution).toMatchObject({ ok: false, failure: { class: 'crash', code: 'crash' } });
    expect(await neighbour.execution).toMatchObject({ ok: true, outcome: { json: '"unharmed"' } });
    expect(await execute('work', { value: 1 }).execution).toMatchObject({ ok: true });
  });

  it('that eats its memory is a crash of its thread alone', async () => {
    const neighbour = execute('slow', { ms: 300, value: 'unharmed' });
    expect(await execute('eatMemory').execution).toMatchObject({ ok: false, failure: { class: 'crash' } });
    expect(await neighbour.execution).toMatchObject({ ok: true });
  });

  it('tells its progress between 0 and 1', async () => {
    const run = execute('halfway');
    while (run.progress.length === 0) await new Promise((resolve) => setImmediate(resolve));
    run.abort('cancelled');
    await run.execution;
    expect(run.progress).toEqual([0.5]);
  });

  it('leaves the main thread free while it computes', async () => {
    const runs = [execute('spin', { ms: 300 }), execute('spin', { ms: 300 })];
    let turns = 0;
    const counter = setInterval(() => turns++, 5);
    await Promise.all(runs.map((run) => run.execution));
    clearInterval(counter);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('threads', () => {
  it('that cannot load their handlers say so at start', async () => {
    const broken = threads(1, { handlersUrl: new URL('no-such-file.mjs', import.meta.url).href });
    await expect(broken.start()).rejects.toThrow(/no-such-file/);
    await broken.stop();
    const empty = threads(1, { handlersUrl: 'data:text/javascript,export const other = 1' });
    await expect(empty.start()).rejects.toThrow(/handlers/);
    await empty.stop();
  });
});

describe('a thread that has done its share', () => {
  async function runAll(executor: Executor, types: readonly (readonly [string, Json])[]): Promise<Execution[]> {
    const executions: Execution[] = [];
    for (const [type, payload] of types) executions.push(await executor.execute(delivery(type, payload), new AbortController(), () => {}));
    return executions;
  }

  it('by count is replaced between two tasks, and no task is harmed', async () => {
    const notes = await journal();
    const recycled = threads(1, { recycle: { tasks: 2 } });
    await recycled.start();
    try {
      const executions = await runAll(
        recycled,
        [1, 2, 3, 4, 5].map((value) => ['work', { file: notes.file, value }] as const),
      );
      expect(executions.map((execution) => execution.ok)).toEqual([true, true, true, true, true]);
      const [a, b, c, d, e] = (await notes.read()).filter(({ word }) => word === 'begin').map(({ threadId }) => threadId);
      expect([a === b, b === c, c === d, d === e]).toEqual([true, false, true, false]);
    } finally {
      await recycled.stop();
    }
  });

  it('by growth is replaced when its own memory has grown past the limit, and not before', async () => {
    const notes = await journal();
    const recycled = threads(1, { recycle: { growthMb: 50 } });
    await recycled.start();
    try {
      // What the first takes is where growth is counted from.
      const executions = await runAll(
        recycled,
        [60, 20, 40, 1].map((mb) => ['hoard', { file: notes.file, mb }] as const),
      );
      expect(executions).toMatchObject(['1', '2', '3', '1'].map((json) => ({ ok: true, outcome: { json } })));
      const ids = (await notes.read()).map(({ threadId }) => threadId);
      expect([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]]).toEqual([true, true, false]);
    } finally {
      await recycled.stop();
    }
  });
});

describe('threads that could load their handlers and cannot any more', () => {
  /** Loads once for each file of the name that is not there yet, and fails after. */
  async function loadsOnce(): Promise<{ url: string; loads: () => Promise<number> }> {
    const notes = await journal();
    const code = `
      import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(notes.file)}, '\\n');
      if (readFileSync(${JSON.stringify(notes.file)}, 'utf8').length > 1) throw new Error('the file was half written');
      export const handlers = { exitThread: () => process.exit(3), work: async () => 'ok' };`;
    const loads = async (): Promise<number> => (await readFile(notes.file, 'utf8')).length;
    return { url: `data:text/javascript,${encodeURIComponent(code)}`, loads };
  }

  it('say so, blame no task, and are not made anew without end', async () => {
    const { url, loads } = await loadsOnce();
    const doomed = threads(1, { handlersUrl: url });
    const heard: string[] = [];
    await doomed.start((why) => heard.push(why.message));
    try {
      const run = (type: string): Promise<Execution> => doomed.execute(delivery(type), new AbortController(), () => {});
      expect(await run('work')).toMatchObject({ ok: true });
      expect(await run('exitThread')).toMatchObject({ ok: false, failure: { class: 'crash' } });
      expect(heard).toEqual([]);
      for (let task = 0; task < 5; task++) expect(await run('work')).toMatchObject({ ok: false, unstarted: true });
      expect(heard).toEqual([expect.stringContaining('the file was half written')]);
      expect(await loads()).toBe(2);
    } finally {
      await doomed.stop();
    }
  });

  it('have their worker hand back what it holds, with nothing spent, stop by itself, and tell why', async () => {
    const redis = await startTestRedis();
    try {
      const scheduler = await TestScheduler.open(redis.connection);
      const { url } = await loadsOnce();
      const heard: Error[] = [];
      const { log } = await workshop.worker(scheduler, redis.server.url, {
        executor: threads(1, { handlersUrl: url }),
        onBroken: (why) => heard.push(why),
      });
      const crashed = (await scheduler.queue.submit('exitThread', null)).id;
      await until('its thread has died', async () => (await scheduler.get(crashed)).crashes > 0 || null);
      const waiting = (await scheduler.queue.submit('work', null)).id;
      await until('the worker has stopped', () => Promise.resolve(log.of('worker stopped').length === 1));
      expect(heard).toMatchObject([{ message: expect.stringContaining('the file was half written') }]);
      expect(log.of('handlers lost')).toHaveLength(1);
      for (const id of [crashed, waiting]) expect(await scheduler.get(id)).toMatchObject({ state: 'pending', attempts: 0 });
      expect(await scheduler.get(crashed)).toMatchObject({ crashes: 1 });
    } finally {
      await workshop.sweep();
      await redis.stop();
    }
  });
});
