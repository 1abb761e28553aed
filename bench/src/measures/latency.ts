import { Crew } from '../processes/crew.ts';
import { Submitter } from '../processes/submitter.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings, withRange } from '../report/verdict.ts';
import { quantile, ratios, spread } from '../statistics.ts';
import type { SystemName } from '../systems/system.ts';
import { type Bench, checkExactlyOnce, SUBMIT_DEFAULTS, WORKER_DEFAULTS } from './measure.ts';

const PER_SECOND = 200;
const SECONDS = 5;
const SETTLE_MS = 30_000;

interface Latency {
  readonly p50: number;
  readonly p99: number;
}

async function latencyOnce({ redis, options }: Bench, system: SystemName, lockKeys: boolean): Promise<Latency> {
  await redis.flush();
  const count = PER_SECOND * SECONDS;
  const place = { socketPath: redis.socketPath, system, lockKeys };
  const crew = await Crew.open(options.processes, { ...WORKER_DEFAULTS, ...place, slots: 50, results: lockKeys });
  try {
    const submitter = await Submitter.open({
      ...SUBMIT_DEFAULTS,
      ...place,
      mode: { kind: 'paced', perSecond: PER_SECOND },
      count,
      keepIds: true,
    });
    crew.start();
    submitter.start();
    const { ids } = await submitter.finished();
    await crew.until(`${system} has done what was sent`, ({ ended }) => ended >= count, SETTLE_MS);
    const reports = await crew.report();
    checkExactlyOnce(
      `${system} at ${PER_SECOND}/s`,
      ids,
      reports.flatMap((report) => report.endedIds),
    );
    const waits = reports.flatMap(({ starts }) => starts.map(({ submittedAt, startedAt }) => startedAt - submittedAt));
    return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
  } finally {
    await crew.end();
  }
}

/** Row 5: from submit to start on an idle queue, open loop. */
export async function measureLatency(bench: Bench): Promise<Findings> {
  const cases = [
    { name: 'BullMQ', system: 'bullmq', lockKeys: true },
    { name: 'Galley', system: 'galley', lockKeys: true },
    { name: 'Galley without lock keys and results', system: 'galley', lockKeys: false },
  ] as const;
  const latencies = new Map<string, Latency[]>();
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const { name, system, lockKeys } of cases) {
      const latency = await latencyOnce(bench, system, lockKeys);
      latencies.set(name, [...(latencies.get(name) ?? []), latency]);
      bench.log(`  round ${round} ${name}: p50 ${latency.p50.toFixed(2)} ms, p99 ${latency.p99.toFixed(2)} ms`);
    }
  }
  const p50 = (name: string): number[] => (latencies.get(name) ?? []).map((latency) => latency.p50);
  const p99 = (name: string): number[] => (latencies.get(name) ?? []).map((latency) => latency.p99);
  const floor = { measure: `p50 from submit to start at ${PER_SECOND}/s, share of BullMQ's`, floor: 0.65, unit: '×' } as const;
  return {
    verdicts: [
      atMost({ ...floor, column: 'with' }, ratios(p50('Galley'), p50('BullMQ'))),
      atMost({ ...floor, column: 'without' }, ratios(p50('Galley without lock keys and results'), p50('BullMQ'))),
    ],
    sections: [
      {
        title: `From submit to start at ${PER_SECOND} tasks a second, milliseconds`,
        lines: table(
          ['system', 'p50', 'p99'],
          cases.map(({ name }) => [name, withRange(spread(p50(name)), ''), withRange(spread(p99(name)), '')]),
        ),
      },
    ],
  };
}
