import { Crew } from '../processes/crew.ts';
import { Submitter } from '../processes/submitter.ts';
import { type Bench, checkExactlyOnce, SUBMIT_DEFAULTS, WORKER_DEFAULTS } from './measure.ts';

/** One task a second: each finds a worker that has rested for a second. */
const TASKS = 20;
const SETTLE_MS = 30_000;
const COUNT_EVERY_MS = 200;

/** Milliseconds from submit to start of tasks of which each comes after a quiet spell. */
export async function quietStarts({ redis }: Bench): Promise<number[]> {
  const place = { socketPath: redis.socketPath, system: 'galley' } as const;
  const crew = await Crew.open(1, { ...WORKER_DEFAULTS, ...place, countEveryMs: COUNT_EVERY_MS });
  try {
    const mode = { kind: 'paced', perSecond: 1 } as const;
    const submitter = await Submitter.open({ ...SUBMIT_DEFAULTS, ...place, mode, count: TASKS, keepIds: true });
    crew.start();
    submitter.start();
    const { ids } = await submitter.finished();
    await crew.until('the quiet ones are done', ({ ended }) => ended >= TASKS, SETTLE_MS);
    const reports = await crew.report();
    checkExactlyOnce(
      'one task a second',
      ids,
      reports.flatMap((report) => report.endedIds),
    );
    return reports.flatMap(({ starts }) => starts.map(({ submittedAt, startedAt }) => startedAt - submittedAt));
  } finally {
    await crew.end();
  }
}
