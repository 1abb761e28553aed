import { afterEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { type WorkerProcess, Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const GRACE_MS = 10_000;
const TASK_MS = 100;
/** Waiting tasks at any time: the load of the rollout. */
const BACKLOG = 12;

it('a rollout of three workers, one after another under load, loses nothing, doubles nothing and delays no task by more than the grace', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  const { url } = suite.redis.server;
  const journal = await workshop.journal();
  const submittedAt = new Map<string, number>();
  const load = { on: true };
  const submitting = (async () => {
    while (load.on) {
      const missing = BACKLOG - ((await scheduler.inspector.counts()).pending ?? 0);
      const tasks = await Promise.all(
        Array.from({ length: Math.max(0, missing) }, () => scheduler.queue.submit('slow', { file: journal.file, ms: TASK_MS })),
      );
      for (const { id } of tasks) submittedAt.set(id, Date.now());
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const start = (): Promise<WorkerProcess> => workshop.process(scheduler, url, { slots: 2, graceMs: GRACE_MS });
  const old = await Promise.all([start(), start(), start()]);
  for (const worker of old) {
    await journal.until('end', (await journal.read()).filter(({ word }) => word === 'end').length + 4);
    worker.signal('SIGTERM');
    expect(await worker.exit()).toBe(0);
    await start();
  }
  load.on = false;
  await submitting;
  await until('all are done', async () => (await scheduler.inspector.counts()).completed === submittedAt.size, 15_000);

  const moments = await journal.read();
  const began = moments.filter(({ word }) => word === 'begin');
  expect(began.map(({ id }) => id).toSorted()).toEqual([...submittedAt.keys()].toSorted());
  expect(submittedAt.size).toBeGreaterThan(3 * BACKLOG);
  for (const task of await scheduler.inspector.getMany([...submittedAt.keys()]))
    expect(task).toMatchObject({ state: 'completed', attempts: 0, crashes: 0, errors: [] });
  const waits = began.map(({ id, at }) => at - (submittedAt.get(id) ?? 0));
  expect(Math.max(...waits)).toBeLessThan(GRACE_MS);
  // What an old one had begun it did to the end; a claim that was under way when it was told to stop it handed back before it began.
  for (const worker of old) expect(new Set(worker.of('lock released').map(({ outcome }) => outcome))).toContain('completed');
  expect(moments.filter(({ word }) => word === 'end')).toHaveLength(submittedAt.size);
}, 120_000);
