import { GalleyError } from '@galley/contract';
import type { Clock } from '../clock.ts';
import { type Logger, silentLogger } from '../maintenance/chore.ts';
import { failureOf } from '../rules/failure.ts';
import { traceRun } from '../tracing/run-span.ts';
import { isTracing } from '../tracing/tracing.ts';
import type { Execution, Executor } from './executor.ts';
import type { TaskDelivery } from './handler.ts';
import type { Reporter } from './reporter.ts';
import type { Run } from './run.ts';

export interface RunEnvironment {
  readonly workerId: string;
  readonly executor: Executor;
  readonly reporter: Reporter;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The handler has stopped; what is left is to report it. */
  readonly onExecuted: () => void;
}

function deliveryOf(run: Run): TaskDelivery {
  const { row, message } = run;
  return {
    id: row.id,
    queue: run.queue.name,
    type: message.header.type,
    payload: message.payload,
    priority: row.record.priority,
    fence: row.record.fence,
    attempt: row.record.attempts + 1,
    crashes: row.record.crashes,
    children: childrenOnceEnded(run),
  };
}

/** A run that was interrupted while it fanned out has children and is to fan out again; it gets to see them when all have ended. */
function childrenOnceEnded({ row: { children } }: Run): TaskDelivery['children'] {
  return children !== null && children.completed + children.failed >= children.total ? children : null;
}

/** A run's life after its claim: execute within the time limit, then report what came of it. */
export async function performRun(run: Run, environment: RunEnvironment): Promise<void> {
  const { logger, clock } = environment;
  const start = logger === silentLogger ? '' : isoTime(clock.now());
  if (start !== '') logger.info(lockLine('lock acquired', run, environment, start), 'lock acquired');
  const execution = await (isTracing() ? traceRun(run, () => execute(run, environment)) : execute(run, environment));
  // Before the report: as soon as Redis has it another worker may begin, and runs must not seem to overlap by the way of its answer.
  const end = start === '' ? '' : isoTime(clock.now());
  environment.onExecuted();
  let outcome: string;
  try {
    outcome = await report(run, execution, environment);
  } catch (error) {
    // The lease runs out and the reaper puts the task back: nothing is lost, but it is worth knowing.
    logger.error({ err: error, task: run.id, fence: run.fence }, 'a run could not be reported');
    outcome = 'unreported';
  }
  if (start === '') return;
  if (outcome === 'lease_lost' || outcome === 'missing')
    logger.warn(lockLine('lease lost', run, environment, start, end, outcome), 'lease lost');
  logger.info(lockLine('lock released', run, environment, start, end, outcome), 'lock released');
}

let lastTime = 0;
let lastTimeText = new Date(0).toISOString();

/** Runs begin and end many in one millisecond, and a date is dear to write. */
function isoTime(ms: number): string {
  if (ms !== lastTime) {
    lastTime = ms;
    lastTimeText = new Date(ms).toISOString();
  }
  return lastTimeText;
}

/**
 * The lines by which `lock:job:*` keys can be checked against what workers did: what lies between `start` and `end` was done under the
 * lock. Nothing is put together where nobody reads.
 */
function lockLine(event: string, run: Run, { workerId }: RunEnvironment, start: string, end?: string, outcome?: string): object {
  const { lockKey: key, fence, id: task } = run;
  const shard = run.shard.name;
  return end === undefined
    ? { event, key, shard, worker: workerId, fence, task, start }
    : { event, key, shard, worker: workerId, fence, task, start, end, outcome };
}

/** Node lets a longer timer fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time-outs count from here, the start of the run (DESIGN P10). */
async function execute(run: Run, { executor }: RunEnvironment): Promise<Execution> {
  // It was cancelled or handed back before its handler began.
  if (run.abortError !== null) return { ok: false, failure: failureOf(run.abortError) };
  const limit = Math.min(run.message.header.timeout_ms ?? run.queue.settings.timeoutMs, LONGEST_TIMER_MS);
  const timer = setTimeout(() => run.stop('timeout', `the run took longer than ${limit} ms`), limit);
  try {
    return await executor.execute(deliveryOf(run), run, (progress) => {
      run.progress = progress;
    });
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function report(run: Run, execution: Execution, { reporter, workerId }: RunEnvironment): Promise<string> {
  if (execution.ok) {
    const { outcome } = execution;
    try {
      return await (outcome.outcome === 'done' ? reporter.complete(run, outcome) : reporter.fanOut(run, outcome));
    } catch (error) {
      // What the handler returned cannot be stored; anything else is Redis's and is not the task's fault.
      if (!(error instanceof GalleyError)) throw error;
      return reporter.fail(run, failureOf(error));
    }
  }
  if (execution.unstarted === true) return reporter.release(run);
  switch (run.abortReason) {
    case 'cancelled':
      return 'cancelled';
    case 'lease_lost':
      return 'lease_lost';
    case 'lease_unsure':
    case 'stopping':
      return reporter.release(run);
    case 'timeout':
      return reporter.fail(run, { class: 'transient', code: 'timeout', message: `${execution.failure.message} (worker ${workerId})` });
    case null:
      return reporter.fail(run, execution.failure);
  }
}
