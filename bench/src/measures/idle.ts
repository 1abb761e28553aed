import { Crew } from '../processes/crew.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings, withRange } from '../report/verdict.ts';
import { quantile, spread } from '../statistics.ts';
import { monotonicMs } from '../systems/payload.ts';
import { type Bench, WORKER_DEFAULTS } from './measure.ts';
import { quietStarts } from './quiet.ts';

/** The warm-up leaves a heap that the engine shrinks for some seconds. */
const SETTLE_MS = 15_000;
/** A collection of garbage is one in minutes and takes a tenth of a second, so one look may hold one or none. */
const LOOKS = 3;
const LOOK_MS = 20_000;

/** Row 11: one worker with every chore and nothing to do, and the first task after a quiet spell. */
export async function measureIdle(bench: Bench): Promise<Findings> {
  const { worker, server } = await idleShares(bench);
  bench.log(`  idle: worker ${withRange(spread(worker), ' %')}, its Redis ${withRange(spread(server), ' %')}`);
  const starts = await quietStarts(bench);
  const [p50, p99] = [quantile(starts, 0.5), quantile(starts, 0.99)];
  bench.log(`  after a quiet spell: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  return {
    verdicts: [
      atMost({ measure: 'idle worker, share of a core', column: 'both', floor: 0.3, unit: ' %' }, spread(worker)),
      atMost({ measure: 'p50 from submit to start after a quiet spell', column: 'both', floor: 5, unit: ' ms' }, spread([p50])),
    ],
    sections: [
      {
        title: `An idle worker, per cent of a core, ${LOOKS} looks of ${LOOK_MS / 1_000} s`,
        lines: table(['worker with all chores', 'its Redis'], [[withRange(spread(worker), ''), withRange(spread(server), '')]]),
      },
      {
        title: 'From submit to start of tasks a second apart, milliseconds',
        lines: table(['p50', 'p99'], [[p50.toFixed(2), p99.toFixed(2)]]),
      },
    ],
  };
}

async function idleShares({ redis }: Bench): Promise<{ worker: number[]; server: number[] }> {
  const crew = await Crew.open(1, { ...WORKER_DEFAULTS, socketPath: redis.socketPath, system: 'galley', countEveryMs: 0 });
  const shares: { worker: number[]; server: number[] } = { worker: [], server: [] };
  try {
    crew.start();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    for (let look = 0; look < LOOKS; look++) {
      const [before] = await crew.report();
      const serverBefore = await redis.cpuUs();
      const startedAt = monotonicMs();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const [after] = await crew.report();
      const micros = (monotonicMs() - startedAt) * 1_000;
      shares.worker.push((((after?.cpuUs ?? Number.NaN) - (before?.cpuUs ?? Number.NaN)) / micros) * 100);
      shares.server.push((((await redis.cpuUs()) - serverBefore) / micros) * 100);
    }
    return shares;
  } finally {
    await crew.end();
  }
}
