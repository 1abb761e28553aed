import { Crew } from '../processes/crew.ts';
import { Submitter, submitAll } from '../processes/submitter.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings, withRange } from '../report/verdict.ts';
import { quantile, ratios, spread } from '../statistics.ts';
import type { SystemName } from '../systems/system.ts';
import { type Bench, SUBMIT_DEFAULTS, WORKER_DEFAULTS } from './measure.ts';

const BACKLOG = 1_000_000;
const SHALLOW = 1_000;
const CLAIMS = 500;
const URGENT_PER_SECOND = 20;
const URGENT_SECONDS = 5;
const SETTLE_MS = 60_000;

async function fill({ redis }: Bench, system: SystemName, queue: string, count: number): Promise<void> {
  const mode = { kind: 'bulk', chunk: 1_000 } as const;
  await submitAll({ ...SUBMIT_DEFAULTS, socketPath: redis.socketPath, system, queue, mode, count });
}

/** Server microseconds of one claimed task: a worker claims 500, holds them, and hands them back when that has been read. */
async function claimCost({ redis }: Bench, queue: string): Promise<number> {
  const order = { ...WORKER_DEFAULTS, socketPath: redis.socketPath, system: 'galley', queue, slots: CLAIMS, workMs: null } as const;
  const crew = await Crew.open(1, order);
  try {
    const before = await redis.cpuUs();
    crew.start();
    await crew.until('500 are claimed', ({ started }) => started >= CLAIMS, SETTLE_MS);
    const after = await redis.cpuUs();
    await crew.stop();
    return (after - before) / CLAIMS;
  } finally {
    await crew.end();
  }
}

/** p50 in ms from submit to start of urgent tasks, every slot being busy with 10 ms tasks and the backlog behind them. */
async function urgentOnce({ redis, options }: Bench, system: SystemName): Promise<number> {
  const place = { socketPath: redis.socketPath, system, queue: 'deep' };
  const count = URGENT_PER_SECOND * URGENT_SECONDS;
  const mode = { kind: 'paced', perSecond: URGENT_PER_SECOND } as const;
  const submitter = await Submitter.open({ ...SUBMIT_DEFAULTS, ...place, mode, count, priority: 1, keepIds: true });
  const crew = await Crew.open(options.processes, { ...WORKER_DEFAULTS, ...place, slots: 10, workMs: 10 });
  try {
    crew.start();
    await crew.until(`${system} is busy`, ({ ended }) => ended > 100, SETTLE_MS);
    submitter.start();
    const ids = new Set((await submitter.finished()).ids);
    const { started } = crew.count();
    await crew.until('what was under way has begun', (now) => now.started > started + 200, SETTLE_MS);
    const starts = (await crew.report()).flatMap((report) => report.starts).filter(({ id }) => ids.has(id));
    if (starts.length !== count) throw new Error(`${starts.length} of ${count} urgent tasks were started by ${system}`);
    await crew.stop();
    return quantile(
      starts.map(({ submittedAt, startedAt }) => startedAt - submittedAt),
      0.5,
    );
  } finally {
    await crew.end();
  }
}

/** Rows 7 and 8, over one backlog. */
export async function measureDepth(bench: Bench): Promise<Findings> {
  const backlog = bench.options.quick ? BACKLOG / 10 : BACKLOG;
  await fill(bench, 'galley', 'shallow', SHALLOW);
  await fill(bench, 'galley', 'deep', backlog);
  const shallow: number[] = [];
  const deep: number[] = [];
  for (let round = 1; round <= bench.options.rounds; round++) {
    shallow.push(await claimCost(bench, 'shallow'));
    deep.push(await claimCost(bench, 'deep'));
    bench.log(`  round ${round} claim: ${shallow.at(-1)?.toFixed(1)} us at ${SHALLOW}, ${deep.at(-1)?.toFixed(1)} us at ${backlog}`);
  }
  await fill(bench, 'bullmq', 'deep', backlog);
  const urgent: Record<'galley' | 'bullmq', number[]> = { galley: [], bullmq: [] };
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const system of ['bullmq', 'galley'] as const) {
      urgent[system].push(await urgentOnce(bench, system));
      bench.log(`  round ${round} urgent behind ${backlog}, ${system}: p50 ${urgent[system].at(-1)?.toFixed(2)} ms`);
    }
  }
  return {
    verdicts: [
      atMost(
        { measure: `server cost of a claim at ${backlog} pending against ${SHALLOW}`, column: 'both', floor: 1.6, unit: '×' },
        ratios(deep, shallow),
      ),
      atMost(
        { measure: `urgent behind ${backlog}, slots busy: p50 to start, share of BullMQ's`, column: 'both', floor: 0.7, unit: '×' },
        ratios(urgent.galley, urgent.bullmq),
      ),
    ],
    sections: [
      {
        title: `A backlog of ${backlog}`,
        lines: table(
          ['what', 'median (range)'],
          [
            [`server µs per claimed task, ${SHALLOW} pending`, withRange(spread(shallow), '')],
            [`server µs per claimed task, ${backlog} pending`, withRange(spread(deep), '')],
            ['urgent task, p50 ms to start, BullMQ', withRange(spread(urgent.bullmq), '')],
            ['urgent task, p50 ms to start, Galley', withRange(spread(urgent.galley), '')],
          ],
        ),
      },
    ],
  };
}
