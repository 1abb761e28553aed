import BeeQueue from 'bee-queue';
import { noSignal } from './payload.ts';
import type { Payload, System, TaskSpec } from './system.ts';

/** As fast as it goes: no events over Redis, jobs not kept in memory. */
function open(socketPath: string, name: string, isWorker: boolean, removeEnded: boolean): BeeQueue<Payload> {
  return new BeeQueue<Payload>(name, {
    redis: { path: socketPath },
    isWorker,
    getEvents: false,
    sendEvents: false,
    storeJobs: false,
    removeOnSuccess: removeEnded,
  });
}

export const beeQueue: System = {
  async openProducer({ socketPath, queue: name }) {
    const queue = open(socketPath, name, false, false);
    await queue.ready();
    const create = (task: TaskSpec): BeeQueue.Job<Payload> => queue.createJob(task.payload);
    return {
      add: async (task) => (await create(task).save()).id,
      addMany: async (tasks) => {
        const jobs = tasks.map(create);
        const errors = await queue.saveAll(jobs);
        for (const error of errors.values()) throw error;
        return jobs.map((job) => job.id);
      },
      close: async () => {
        await queue.close();
      },
    };
  },

  async openWorker({ socketPath, queue: name, slots, results, removeEnded }, hooks) {
    const queue = open(socketPath, name, true, removeEnded);
    await queue.ready();
    queue.on('succeeded', (job) => hooks.ended(job.id));
    return {
      start: () => {
        queue.process(slots, async (job) => {
          await hooks.handle(job.id, job.data, noSignal);
          return results ? { ok: true } : undefined;
        });
        return Promise.resolve();
      },
      stop: async () => {
        await queue.close(1_000);
      },
    };
  },
};
