import { connectRedis, createChores, type Executor, inProcess, inThreads, type Lifecycle, Queue, Worker } from '@galley/core';
import { watchStalls } from '../history/stall-watch.ts';
import { HistoryWriter } from '../history/writer.ts';
import { handlersOf } from '../work/handlers.ts';
import { historyLogger } from './history-logger.ts';
import { commandSchema, type WorkerOrder, workerOrderSchema } from './orders.ts';
import { leaveWithRun, orderText, say } from './process-side.ts';
import { SteppedClock } from './stepped-clock.ts';

/** A worker of a chaos run, or with no slots a server: chores alone. Ends in order on SIGTERM. */

function executorOf(order: WorkerOrder, history: HistoryWriter): Executor {
  if (!order.threads) return inProcess(handlersOf(history));
  const url = new URL('../work/thread-handlers.js', import.meta.url);
  url.searchParams.set('history', order.historyDirectory);
  url.searchParams.set('by', order.by);
  return inThreads({ handlersUrl: url.href, threads: order.slots, abortGraceMs: order.abortGraceMs });
}

async function startWorker(queue: Queue, order: WorkerOrder, clock: SteppedClock, history: HistoryWriter): Promise<Worker> {
  const worker = new Worker({
    connection: queue.connection,
    queues: [queue],
    executor: executorOf(order, history),
    slots: order.slots,
    exclusive: ['exclusive'],
    logger: historyLogger(history),
    clock,
  });
  history.write({ event: 'worker started', worker: worker.id });
  await worker.start();
  return worker;
}

async function stop(worker: Worker | null, chores: Lifecycle, queue: Queue, graceMs: number): Promise<void> {
  await worker?.stop(graceMs);
  await chores.stop();
  await queue.connection.close();
  process.exit(0);
}

leaveWithRun();
const order = workerOrderSchema.parse(orderText());
const history = new HistoryWriter(order.historyDirectory, order.by);
watchStalls(history);
const clock = new SteppedClock();
process.on('message', (message) => clock.step(commandSchema.parse(message).byMs));

const queue = await Queue.open(connectRedis(order.url), order.queue, { settings: order.settings });
const chores = createChores({
  connection: queue.connection,
  queues: [queue],
  logger: historyLogger(history),
  clock,
  periodMs: order.reaperMs,
});
chores.start();
const worker = order.slots === 0 ? null : await startWorker(queue, order, clock, history);
let stops = 0;
process.on('SIGTERM', () => void stop(worker, chores, queue, stops++ === 0 ? order.graceMs : 0));
await say('ready');
