import type { Worker } from '@galley/contract';
import { listWorkers, type RegisteredWorker } from '@galley/core';
import { type Handler, sendJson } from '../http/exchange.ts';
import type { Services } from '../services.ts';
import { boundToUser } from '../session/principal.ts';
import { isoTime } from '../tasks/task-answer.ts';

/** `named`: whether file names may be shown; they are other people's to a user. */
function workerAnswer(worker: RegisteredWorker, named: boolean): Worker {
  return {
    worker_id: worker.workerId,
    host: worker.host,
    pid: worker.pid,
    queues: [...worker.queues],
    slots: worker.slots,
    busy: worker.busy,
    tasks: worker.tasks.map(({ taskId, filename }) => ({ task_id: taskId, ...(named && filename !== undefined ? { filename } : {}) })),
    heartbeat_at: isoTime(worker.heartbeatAt),
    started_at: isoTime(worker.startedAt),
    rss_bytes: worker.rssBytes,
    version: worker.version,
  };
}

export function workerRoutes({ connection }: Services) {
  return {
    listWorkers: async (exchange) => {
      const named = boundToUser(exchange.principal) === null;
      sendJson(exchange, { workers: (await listWorkers(connection)).map((worker) => workerAnswer(worker, named)) });
    },
  } satisfies Record<string, Handler>;
}
