import { connectRedis, createChores, inProcess, type Logger, Queue, silentLogger, Worker } from '@galley/core';
import type { Payload, System, TaskSpec } from './system.ts';

const TASK_TYPE = 'bench';

type BenchTypes = { [TASK_TYPE]: { payload: { readonly at: number; readonly filler: string }; result: { readonly ok: boolean } } };

/** A worker's log is where it says that runs began and that their ends are stored. */
function listeningLogger(hooks: { claimed: (id: string) => void; ended: (id: string) => void }): Logger {
  return {
    ...silentLogger,
    info: (fields: { event?: string; task?: string; outcome?: string }) => {
      if (fields.task === undefined) return;
      if (fields.event === 'lock acquired') hooks.claimed(fields.task);
      else if (fields.event === 'lock released' && fields.outcome === 'completed') hooks.ended(fields.task);
    },
    warn: (fields: object, message: string) => process.stderr.write(`galley: ${message} ${JSON.stringify(fields)}\n`),
    error: (fields: object, message: string) => process.stderr.write(`galley: ${message} ${JSON.stringify(fields)}\n`),
  };
}

export const galley: System = {
  async openProducer({ socketPath, queue: name, lockKeys, order }) {
    const connection = connectRedis(`unix:${socketPath}`);
    const queue = await Queue.open<BenchTypes>(connection, name, { lockKeys, order });
    const add = async ({ priority, payload, identity }: TaskSpec): Promise<string> => {
      const options =
        identity === undefined ? { priority } : { priority, identity: [identity], tags: { user: `user-${identity.slice(-2)}` } };
      return (await queue.submit(TASK_TYPE, payload, options)).id;
    };
    return { add, addMany: (tasks) => Promise.all(tasks.map(add)), close: () => connection.close() };
  },

  async openWorker({ socketPath, queue: name, lockKeys, order, slots, results }, hooks) {
    const connection = connectRedis(`unix:${socketPath}`);
    const queue = await Queue.open(connection, name, { lockKeys, order });
    const executor = inProcess({
      [TASK_TYPE]: async (context) => {
        await hooks.handle(context.id, context.payload as unknown as Payload, () => context.signal);
        return results ? { ok: true } : undefined;
      },
    });
    const logger = listeningLogger(hooks);
    const worker = new Worker({ connection, queues: [queue], executor, slots, logger });
    const chores = createChores({ connection, queues: [queue], logger });
    return {
      start: async () => {
        chores.start();
        await worker.start();
      },
      stop: async () => {
        await worker.stop(0);
        await chores.stop();
        await connection.close();
      },
    };
  },
};
