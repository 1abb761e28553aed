import { type JobsOptions, Queue, Worker } from 'bullmq';
import { noSignal } from './payload.ts';
import type { Payload, System, TaskSpec } from './system.ts';

const JOB_NAME = 'bench';

function jobOptions({ priority, identity }: TaskSpec): JobsOptions {
  return { ...(priority > 0 ? { priority } : {}), ...(identity === undefined ? {} : { deduplication: { id: identity } }) };
}

function idOf(job: { id?: string | undefined }): string {
  if (job.id === undefined) throw new Error('BullMQ gave a job no id');
  return job.id;
}

export const bullmq: System = {
  async openProducer({ socketPath, queue: name }) {
    const queue = new Queue<Payload>(name, { connection: { path: socketPath, maxRetriesPerRequest: null } });
    await queue.waitUntilReady();
    return {
      add: async (task) => idOf(await queue.add(JOB_NAME, task.payload, jobOptions(task))),
      addMany: async (tasks) =>
        (await queue.addBulk(tasks.map((task) => ({ name: JOB_NAME, data: task.payload, opts: jobOptions(task) })))).map(idOf),
      close: () => queue.close(),
    };
  },

  async openWorker({ socketPath, queue, slots, results, removeEnded }, hooks) {
    const worker = new Worker<Payload>(
      queue,
      async (job) => {
        await hooks.handle(idOf(job), job.data, noSignal);
        return results ? { ok: true } : undefined;
      },
      {
        connection: { path: socketPath, maxRetriesPerRequest: null },
        autorun: false,
        concurrency: slots,
        ...(removeEnded ? { removeOnComplete: { count: 0 } } : {}),
      },
    );
    worker.on('completed', (job) => hooks.ended(idOf(job)));
    worker.on('error', (error) => process.stderr.write(`bullmq: ${error.message}\n`));
    await worker.waitUntilReady();
    return {
      start: () => {
        worker.run().catch((error: unknown) => process.stderr.write(`bullmq: ${String(error)}\n`));
        return Promise.resolve();
      },
      stop: () => worker.close(true),
    };
  },
};
