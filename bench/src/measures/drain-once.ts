import { Crew } from '../processes/crew.ts';
import { submitAll } from '../processes/submitter.ts';
import { monotonicMs } from '../systems/payload.ts';
import type { SystemName } from '../systems/system.ts';
import { type Bench, checkExactlyOnce, SUBMIT_DEFAULTS, WORKER_DEFAULTS } from './measure.ts';

export interface DrainCase {
  readonly name: string;
  readonly system: SystemName;
  /** 0: none at all, where a system knows that; n: 1 to n in turn. */
  readonly priorities: number;
  readonly order: 'strict' | 'aging';
  readonly lockKeys: boolean;
  readonly results: boolean;
  readonly slots: number;
  readonly removeEnded: boolean;
}

/** Microseconds for each task. */
export interface Cost {
  readonly wall: number;
  readonly server: number;
  readonly client: number;
}

const LONGEST_DRAIN_MS = 240_000;

/** Fills an empty Redis with no-op tasks and lets worker processes empty it. */
export async function drainOnce({ redis, options }: Bench, drain: DrainCase, count: number): Promise<Cost> {
  await redis.flush();
  const place = { socketPath: redis.socketPath, system: drain.system, lockKeys: drain.lockKeys, order: drain.order };
  const { ids } = await submitAll({
    ...SUBMIT_DEFAULTS,
    ...place,
    mode: { kind: 'bulk', chunk: 1_000 },
    count,
    priorities: drain.priorities,
    priority: drain.priorities === 0 ? 0 : 100,
    keepIds: true,
  });
  const { slots, results, removeEnded } = drain;
  const crew = await Crew.open(options.processes, { ...WORKER_DEFAULTS, ...place, slots, results, removeEnded, recordStarts: false });
  try {
    const serverBefore = await redis.cpuUs();
    const startedAt = monotonicMs();
    crew.start();
    const drained = await crew.until(`${drain.name} is drained`, ({ ended }) => ended >= count, LONGEST_DRAIN_MS);
    const server = (await redis.cpuUs()) - serverBefore;
    const reports = await crew.report();
    checkExactlyOnce(
      drain.name,
      ids,
      reports.flatMap((report) => report.endedIds),
    );
    return { wall: ((drained.lastEndedAt - startedAt) * 1_000) / count, server: server / count, client: drained.cpuUs / count };
  } finally {
    await crew.end();
  }
}
