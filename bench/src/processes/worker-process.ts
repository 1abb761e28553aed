import { SYSTEMS } from '../systems/index.ts';
import { monotonicMs } from '../systems/payload.ts';
import type { Start, WorkerCommand, WorkerMessage, WorkerOrder } from './messages.ts';
import { cpuMicroseconds, readOrder, say } from './process-side.ts';

/** A worker process of any system: says how far it is, and at the end exactly what it did. */

const order = readOrder<WorkerOrder>();
const endedIds: string[] = [];
const starts: Start[] = [];
const claims: string[][] = [];
let lastEndedAt = 0;
let counted = 0;
let claim: string[] | null = null;

function untilAborted(signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    if (signal === null || signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const worker = await SYSTEMS[order.system].openWorker(order, {
  handle: async (id, { at }, signal) => {
    starts.push({ id, submittedAt: at, startedAt: monotonicMs() });
    if (order.workMs === null) await untilAborted(signal);
    else if (order.workMs > 0) await new Promise((resolve) => setTimeout(resolve, order.workMs ?? 0));
  },
  ended: (id) => {
    endedIds.push(id);
    lastEndedAt = monotonicMs();
  },
  claimed: (id) => {
    if (claim === null) {
      claims.push((claim = []));
      queueMicrotask(() => (claim = null));
    }
    claim.push(id);
  },
});

let cpuAtStart = 0;
const send = (message: WorkerMessage): void => say(message);

function count(): void {
  const now = starts.length + endedIds.length;
  if (now === counted) return;
  counted = now;
  send({ kind: 'count', started: starts.length, ended: endedIds.length, lastEndedAt, cpuUs: cpuMicroseconds() - cpuAtStart });
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
      send({ kind: 'stopped' });
      process.disconnect();
      process.exit(0);
  }
}

process.on('message', (command: WorkerCommand) => {
  obey(command).catch((error: unknown) => {
    process.stderr.write(`${order.system} worker: ${String(error)}\n`);
    process.exit(1);
  });
});
send({ kind: 'ready' });
