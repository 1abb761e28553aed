import { connectRedis, deadLetterPlan, Operations, Queue } from '@galley/core';
import { plantDeadLetters } from '@galley/core/testing';
import type { BenchRedis } from '../bench-redis.ts';
import { Crew } from '../processes/crew.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings } from '../report/verdict.ts';
import { quantile, spread } from '../statistics.ts';
import { monotonicMs, payloadNow } from '../systems/payload.ts';
import { type Bench, WORKER_DEFAULTS } from './measure.ts';

const DEAD = 1_000_000;
const ORDINARY_PER_SECOND = 50;
const BEFORE_MS = 5_000;
const SETTLE_MS = 60_000;
const LONGEST_MS = 600_000;
const TASK_TYPE = 'bench';
const MIB = 2 ** 20;

const ACTIONS = ['retry', 'purge'] as const;
type Action = (typeof ACTIONS)[number];

interface Delay {
  readonly p50: number;
  readonly p99: number;
}

interface Course {
  readonly seconds: number;
  readonly steps: number;
  readonly longestStepMs: number;
  /** Scripts of the operation over 3 ms, ms by the server's watch, on which waiting for a core counts too. */
  readonly slowMs: readonly number[];
  readonly before: Delay;
  readonly beside: Delay;
  readonly deadBytes: number;
  readonly peakBytes: number;
}

/** Submits an urgent task so many times a second until told to stop; the ids. */
class Ordinary {
  readonly ids: string[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly sent: Promise<unknown>[] = [];

  constructor(queue: Queue) {
    this.timer = setInterval(() => {
      this.sent.push(queue.submit(TASK_TYPE, { ...payloadNow() }, { priority: 1 }).then(({ id }) => this.ids.push(id)));
    }, 1_000 / ORDINARY_PER_SECOND);
  }

  async stop(): Promise<string[]> {
    clearInterval(this.timer);
    await Promise.all(this.sent);
    return this.ids;
  }
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Runs the operation to its end; throws where it did not do all there was, or its progress fell. */
async function carryOut(queue: Queue, action: Action, count: number): Promise<Pick<Course, 'seconds' | 'steps' | 'longestStepMs'>> {
  let [steps, longestStepMs, last] = [0, 0, 0];
  const plan = await deadLetterPlan(queue, action, undefined, async (ids) => {
    const from = monotonicMs();
    const words = action === 'retry' ? await queue.revive(ids) : await queue.purge(ids);
    steps++;
    longestStepMs = Math.max(longestStepMs, monotonicMs() - from);
    return words.map((word) => word === 'revived' || word === 'purged');
  });
  if (plan.total !== count) throw new Error(`${plan.total} of ${count} were dead when ${action} began`);
  const operations = new Operations(queue.connection);
  const startedAt = monotonicMs();
  const id = await operations.begin(plan);
  for (;;) {
    const operation = await operations.get(id);
    if (operation === null || operation.done < last || monotonicMs() - startedAt > LONGEST_MS)
      throw new Error(`${action} went astray: ${JSON.stringify(operation)}`);
    last = operation.done;
    if (operation.state === 'done' && operation.done === count) break;
    if (operation.state !== 'running') throw new Error(`${action} ended badly: ${JSON.stringify(operation)}`);
    await passed(100);
  }
  await operations.stop();
  return { seconds: (monotonicMs() - startedAt) / 1_000, steps, longestStepMs };
}

async function slowOf(redis: BenchRedis): Promise<number[]> {
  return (await redis.slowScripts()).flatMap(({ script, ms }) => (script === 'revive' || script === 'purge' ? [ms] : []));
}

async function courseOf(bench: Bench, action: Action, count: number): Promise<Course> {
  const { redis, options } = bench;
  await redis.flush();
  // The operation and the ordinary submits on connections of their own, as they are in a server and its clients.
  const [operator, client] = [connectRedis(`unix:${redis.socketPath}`), connectRedis(`unix:${redis.socketPath}`)];
  const place = { system: 'galley', socketPath: redis.socketPath, queue: 'operations' } as const;
  const crew = await Crew.open(options.processes, { ...WORKER_DEFAULTS, ...place, slots: 10, workMs: 10, warmUp: 500 });
  try {
    const queue = await Queue.open(operator, place.queue);
    const empty = await redis.usedBytes();
    const plantedFrom = monotonicMs();
    await plantDeadLetters(queue, count, { type: TASK_TYPE, payload: () => ({ ...payloadNow() }) });
    bench.log(`  ${action}: ${count} planted in ${((monotonicMs() - plantedFrom) / 1_000).toFixed(0)} s`);
    const deadBytes = (await redis.usedBytes()) - empty;
    const ordinary = new Ordinary(await Queue.open(client, place.queue));
    crew.start();
    await passed(BEFORE_MS);
    const begunAt = monotonicMs();
    await redis.resetStatistics();
    const done = await carryOut(queue, action, count);
    const endedAt = monotonicMs();
    const ids = new Set(await ordinary.stop());
    const peakBytes = (await redis.peakBytes()) - empty;
    await crew.until('the last has begun', ({ ended }) => ended >= ids.size, SETTLE_MS);
    const starts = (await crew.report()).flatMap((report) => report.starts).filter(({ id }) => ids.has(id));
    const delay = (from: number, to: number): Delay => {
      const waits = starts.filter((start) => start.submittedAt >= from && start.submittedAt < to).map((s) => s.startedAt - s.submittedAt);
      return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
    };
    return {
      ...done,
      slowMs: await slowOf(redis),
      before: delay(begunAt - BEFORE_MS, begunAt),
      beside: delay(begunAt, endedAt),
      deadBytes,
      peakBytes,
    };
  } finally {
    await crew.end();
    await client.close();
    await operator.close();
  }
}

/** All dead letters retried and purged, by operations, while workers go on working. No floor of the table, so not run unasked. */
export async function measureOperations(bench: Bench): Promise<Findings> {
  const count = bench.options.quick ? DEAD / 10 : DEAD;
  const courses: [Action, Course][] = [];
  for (const action of ACTIONS) {
    const course = await courseOf(bench, action, count);
    bench.log(`  ${action}: ${course.seconds.toFixed(1)} s, ${course.steps} steps, the longest ${course.longestStepMs.toFixed(1)} ms`);
    courses.push([action, course]);
  }
  const delay = ({ p50, p99 }: Delay): string => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
  const worst = Math.max(0, ...courses.flatMap(([, { slowMs }]) => slowMs));
  return {
    verdicts: [
      atMost({ measure: `longest script of ${count} retried and purged`, column: 'both', floor: 5, unit: ' ms' }, spread([worst])),
    ],
    sections: [
      {
        title: `${count} dead letters, by one operation while ${bench.options.processes} workers go on`,
        lines: table(
          [
            'operation',
            's',
            'steps',
            'longest step, ms',
            'scripts over 3 ms',
            'the longest, ms',
            `ordinary work at ${ORDINARY_PER_SECOND}/s, p50 / p99 ms to start, before`,
            'beside it',
            'MiB while dead',
            'MiB at most',
          ],
          courses.map(([action, course]) => [
            action,
            course.seconds.toFixed(1),
            String(course.steps),
            course.longestStepMs.toFixed(1),
            String(course.slowMs.length),
            course.slowMs.length === 0 ? 'under 3' : Math.max(...course.slowMs).toFixed(1),
            delay(course.before),
            delay(course.beside),
            (course.deadBytes / MIB).toFixed(0),
            (course.peakBytes / MIB).toFixed(0),
          ]),
        ),
      },
    ],
  };
}
