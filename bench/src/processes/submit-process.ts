import { SYSTEMS } from '../systems/index.ts';
import { monotonicMs, payloadNow } from '../systems/payload.ts';
import type { Producer, TaskSpec } from '../systems/system.ts';
import type { SubmitMessage, SubmitMode, SubmitOrder } from './messages.ts';
import { cpuMicroseconds, leaveWithOrchestrator, readOrder, say } from './process-side.ts';

/** A process that submits tasks to any system in one of four ways, and says what it cost. */
leaveWithOrchestrator();
const order = readOrder<SubmitOrder>();
const system = SYSTEMS[order.system];
/** How far ahead of its clock a paced submitter may look. */
const PACE_LOOK_MS = 1;

function task(index: number): TaskSpec {
  return {
    priority: order.priorities > 1 ? 1 + (index % order.priorities) : order.priority,
    payload: payloadNow(),
    ...(order.identities ? { identity: `identity-${process.pid}-${index}` } : {}),
  };
}

async function inBulk(producer: Producer, count: number, chunk: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += chunk) {
    const tasks = Array.from({ length: Math.min(chunk, count - from) }, (_, index) => task(from + index));
    const added = await producer.addMany(tasks);
    if (order.keepIds) for (const id of added) ids.push(id);
  }
  return ids;
}

async function concurrently(producer: Producer, count: number, width: number): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) ids.push(await producer.add(task(next++)));
  };
  await Promise.all(Array.from({ length: width }, one));
  return ids;
}

/** Open loop: a task is sent when its time has come, whatever became of those before it. */
async function paced(producer: Producer, count: number, perSecond: number): Promise<string[]> {
  const start = monotonicMs();
  const sent: Promise<string>[] = [];
  while (sent.length < count) {
    const dueBy = Math.min(count, Math.floor(((monotonicMs() - start + PACE_LOOK_MS) * perSecond) / 1_000));
    while (sent.length < dueBy) sent.push(producer.add(task(sent.length)));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Promise.all(sent);
}

function submit(producer: Producer, count: number, mode: SubmitMode): Promise<string[]> {
  switch (mode.kind) {
    case 'bulk':
      return inBulk(producer, count, mode.chunk);
    case 'concurrent':
      return concurrently(producer, count, mode.width);
    case 'awaited':
      return concurrently(producer, count, 1);
    case 'paced':
      return paced(producer, count, mode.perSecond);
  }
}

async function run(producer: Producer): Promise<void> {
  const cpuBefore = cpuMicroseconds();
  const startedAt = monotonicMs();
  const ids = await submit(producer, order.count, order.mode);
  const wallMs = monotonicMs() - startedAt;
  const cpuUs = cpuMicroseconds() - cpuBefore;
  await say({ kind: 'report', ids: order.keepIds ? ids : [], wallMs, cpuUs } satisfies SubmitMessage);
  await producer.close();
  process.exit(0);
}

const producer = await system.openProducer(order);
if (order.warmUp > 0) {
  const warm = await system.openProducer({ ...order, queue: `${order.queue}-warm` });
  await submit(warm, order.warmUp, order.mode);
  await warm.close();
}
process.on('message', () => {
  run(producer).catch((error: unknown) => {
    process.stderr.write(`${order.system} submitter: ${String(error)}\n`);
    process.exit(1);
  });
});
await say({ kind: 'ready' } satisfies SubmitMessage);
