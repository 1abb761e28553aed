import { BenchRedis, type SlowScript } from '../bench-redis.ts';
import type { Options } from '../options.ts';
import type { SubmitOrder, WorkerOrder } from '../processes/messages.ts';
import type { Findings } from '../report/verdict.ts';

export interface Bench {
  readonly redis: BenchRedis;
  readonly options: Options;
  readonly log: (line: string) => void;
}

export type Measure = (bench: Bench) => Promise<Findings>;

/** Runs a measure on a Redis of its own, and hands over the scripts that were slow in it. */
export async function measureAlone(
  measure: Measure,
  options: Options,
  log: (line: string) => void,
): Promise<{ findings: Findings; slow: SlowScript[] }> {
  const redis = await BenchRedis.open();
  try {
    const findings = await measure({ redis, options, log });
    return { findings, slow: await redis.slowScripts() };
  } finally {
    await redis.close();
  }
}

export const SUBMIT_DEFAULTS = {
  queue: 'bench',
  lockKeys: true,
  order: 'strict',
  priorities: 1,
  priority: 100,
  identities: false,
  warmUp: 0,
  keepIds: false,
} as const satisfies Partial<SubmitOrder>;

export const WORKER_DEFAULTS = {
  queue: 'bench',
  lockKeys: true,
  order: 'strict',
  slots: 100,
  results: true,
  removeEnded: true,
  workMs: 0,
  countEveryMs: 20,
  warmUp: 2_000,
  recordStarts: true,
} as const satisfies Partial<WorkerOrder>;

/** Throws where an id was done twice, not at all, or never submitted. */
export function checkExactlyOnce(what: string, submitted: readonly string[], ended: readonly string[]): void {
  const wanted = new Set(submitted);
  const seen = new Set<string>();
  for (const id of ended) {
    if (!wanted.has(id)) throw new Error(`${what}: ${id} was done and never submitted`);
    if (seen.has(id)) throw new Error(`${what}: ${id} was done twice`);
    seen.add(id);
  }
  if (seen.size !== wanted.size) throw new Error(`${what}: ${wanted.size - seen.size} of ${wanted.size} tasks were not done`);
}
