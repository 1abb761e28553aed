import { Crew } from '../processes/crew.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings } from '../report/verdict.ts';
import { spread } from '../statistics.ts';
import { monotonicMs } from '../systems/payload.ts';
import { type Bench, WORKER_DEFAULTS } from './measure.ts';

const SETTLE_MS = 3_000;
const IDLE_MS = 20_000;

/** Row 11: one worker with every chore and nothing to do. */
export async function measureIdle({ redis, log }: Bench): Promise<Findings> {
  const crew = await Crew.open(1, { ...WORKER_DEFAULTS, socketPath: redis.socketPath, system: 'galley', countEveryMs: 0 });
  try {
    crew.start();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const [before] = await crew.report();
    const serverBefore = await redis.cpuUs();
    const startedAt = monotonicMs();
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const [after] = await crew.report();
    const micros = (monotonicMs() - startedAt) * 1_000;
    const server = (((await redis.cpuUs()) - serverBefore) / micros) * 100;
    const worker = (((after?.cpuUs ?? Number.NaN) - (before?.cpuUs ?? Number.NaN)) / micros) * 100;
    log(`  idle: worker ${worker.toFixed(3)} %, its Redis ${server.toFixed(3)} %`);
    return {
      verdicts: [atMost({ measure: 'idle worker, share of a core', column: 'both', floor: 0.3, unit: ' %' }, spread([worker]))],
      sections: [
        {
          title: 'An idle worker, per cent of a core over 20 s',
          lines: table(['worker with all chores', 'its Redis'], [[worker.toFixed(3), server.toFixed(3)]]),
        },
      ],
    };
  } finally {
    await crew.end();
  }
}
