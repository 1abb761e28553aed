import { SYSTEMS } from '../systems/index.ts';
import { monotonicMs } from '../systems/payload.ts';
import type { WorkerHooks } from '../systems/system.ts';
import type { Start, WorkerCommand, WorkerMessage, WorkerOrder } from './messages.ts';
import { cpuMicroseconds, leaveWithOrchestrator, readOrder, say } from './process-side.ts';
import { warmUp } from './warm-up.ts';

/** A worker process of any system: says how far it is, and at the end exactly what it did. */

leaveWithOrchestrator();
const order = readOrder<WorkerOrder>();
const endedIds: string[] = [];
const starts: Start[] = [];
const claims: string[][] = [];
let started = 0;
let lastEndedAt = 0;
let counted = 0;
let claim: string[] | null = null;

/** Rejects then, so that the task is handed back: a handler that returns has done its task, told to stop or not. */
function untilAborted(signal: AbortSignal | null): Promise<void> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal?.reason instanceof Error ? signal.reason : new Error('this system has no signals'));
    if (signal === null || signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

const hooks: WorkerHooks = {
  handle: async (id, { at }, signalOf) => {
    started++;
    if (order.recordStarts) starts.push({ id, submittedAt: at, startedAt: monotonicMs() });
    if (order.workMs === null) await untilAborted(signalOf());
    else if (order.workMs > 0) await new Promise((resolve) => setTimeout(resolve, order.workMs ?? 0));
  },
  ended: (id) => {
    endedIds.push(id);
    lastEndedAt = monotonicMs();
  },
  claimed: (id) => {
    if (!order.recordStarts) return;
    if (claim === null) {
      claims.push((claim = []));
      queueMicrotask(() => (claim = null));
    }
    claim.push(id);
  },
};

if (order.warmUp > 0) await warmUp(order);
const worker = await SYSTEMS[order.system].openWorker(order, hooks);
let cpuAtStart = 0;
const send = (message: WorkerMessage): Promise<void> => say(message);

function count(): void {
  const now = started + endedIds.length;
  if (now === counted) return;
  counted = now;
  void send({ kind: 'count', started, ended: endedIds.length, lastEndedAt, cpuUs: cpuMicroseconds() - cpuAtStart });
}

async function obey(command: WorkerCommand): Promise<void> {
  switch (command) {
    case 'start':
      cpuAtStart = cpuMicroseconds();
      if (order.countEveryMs > 0) setInterval(count, order.countEveryMs);
      return worker.start();
    case 'report':
      return send({ kind: 'report', endedIds, starts, claims, cpuUs: cpuMicroseconds() - cpuAtStart });
    case 'stop':
      await worker.stop();
      await send({ kind: 'stopped' });
      process.exit(0);
  }
}

process.on('message', (command: WorkerCommand) => {
  obey(command).catch((error: unknown) => {
    process.stderr.write(`${order.system} worker: ${String(error)}\n`);
    process.exit(1);
  });
});
await send({ kind: 'ready' });
