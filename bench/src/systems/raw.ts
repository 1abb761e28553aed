import { connectRedis } from '@galley/core';
import { noSignal, payloadNow } from './payload.ts';
import type { System } from './system.ts';

const PIPELINE = 100;

/** No scheduler at all: ids in one sorted set, added and popped one by one in pipelines of 100. What Redis and the client allow. */
export const raw: System = {
  openProducer({ socketPath, queue }) {
    const connection = connectRedis(`unix:${socketPath}`);
    let next = 0;
    const add = async (priority: number): Promise<string> => {
      const id = `${queue}-${String(next++).padStart(12, '0')}`;
      await connection.client.zadd(queue, priority, id);
      return id;
    };
    return Promise.resolve({
      add: (task) => add(task.priority),
      addMany: (tasks) => Promise.all(tasks.map((task) => add(task.priority))),
      close: () => connection.close(),
    });
  },

  openWorker({ socketPath, queue }, hooks) {
    const connection = connectRedis(`unix:${socketPath}`);
    const payload = payloadNow();
    const drain = async (): Promise<void> => {
      for (;;) {
        const pipeline = connection.client.pipeline();
        for (let index = 0; index < PIPELINE; index++) pipeline.zpopmin(queue);
        const replies = (await pipeline.exec()) ?? [];
        let taken = 0;
        for (const [, reply] of replies) {
          const id: unknown = Array.isArray(reply) ? reply[0] : undefined;
          if (typeof id !== 'string') continue;
          taken++;
          await hooks.handle(id, payload, noSignal);
          hooks.ended(id);
        }
        if (taken === 0) return;
      }
    };
    return Promise.resolve({
      start: () => {
        drain().catch((error: unknown) => process.stderr.write(`raw: ${String(error)}\n`));
        return Promise.resolve();
      },
      stop: () => connection.close(),
    });
  },
};
