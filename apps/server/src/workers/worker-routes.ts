import type { Worker } from '@galley/contract';
import { listWorkers, type RegisteredWorker, type SlotState } from '@galley/core';
import { type Handler, sendJson } from '../http/exchange.ts';
import type { Services } from '../services.ts';
import { boundToUser } from '../session/principal.ts';
import { isoTime } from '../tasks/task-answer.ts';

function slotAnswer({ taskId, filename, type, startedAt, progress }: SlotState, named: boolean): Worker['tasks'][number] {
  const name = named && filename !== undefined ? { filename } : {};
  return { task_id: taskId, ...name, type, started_at: isoTime(startedAt), progress };
}

/** `named`: whether file names may be shown; they are other people's to a user. */
function workerAnswer(worker: RegisteredWorker, named: boolean): Worker {
  return {
    worker_id: worker.workerId,
    host: worker.host,
    pid: worker.pid,
    queues: [...worker.queues],
    slots: worker.slots,
    busy: worker.busy,
    tasks: worker.tasks.map((slot) => slotAnswer(slot, named)),
    heartbeat_at: isoTime(worker.heartbeatAt),
    started_at: isoTime(worker.startedAt),
    rss_bytes: worker.rssBytes,
    cpu_seconds: worker.cpuSeconds,
    standstill_ms: worker.standstillMs,
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
