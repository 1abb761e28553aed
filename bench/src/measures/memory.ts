import { submitAll } from '../processes/submitter.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings } from '../report/verdict.ts';
import { spread } from '../statistics.ts';
import type { SystemName } from '../systems/system.ts';
import { type Bench, SUBMIT_DEFAULTS } from './measure.ts';

const TASKS = 100_000;

/** Bytes per queued task, from what Redis has in use before and after. */
async function bytesPerTask({ redis }: Bench, system: SystemName, identities: boolean): Promise<number> {
  await redis.flush();
  const before = await redis.usedBytes();
  await submitAll({
    ...SUBMIT_DEFAULTS,
    socketPath: redis.socketPath,
    system,
    mode: { kind: 'bulk', chunk: 1_000 },
    count: TASKS,
    identities,
  });
  return ((await redis.usedBytes()) - before) / TASKS;
}

/** Row 6. One round: it is the same every time. */
export async function measureMemory(bench: Bench): Promise<Findings> {
  const bull = await bytesPerTask(bench, 'bullmq', false);
  const own = await bytesPerTask(bench, 'galley', false);
  const bullDedup = await bytesPerTask(bench, 'bullmq', true);
  const ownDedup = await bytesPerTask(bench, 'galley', true);
  bench.log(`  bytes: ${own.toFixed(0)} of ${bull.toFixed(0)}; with identity and tag ${ownDedup.toFixed(0)} of ${bullDedup.toFixed(0)}`);
  const one = { column: 'both', unit: '×' } as const;
  return {
    verdicts: [
      atMost({ ...one, measure: "bytes per queued task, share of BullMQ's", floor: 0.6 }, spread([own / bull])),
      atMost({ ...one, measure: "bytes with identity and tag, share of BullMQ's with dedup", floor: 0.7 }, spread([ownDedup / bullDedup])),
    ],
    sections: [
      {
        title: 'Bytes in Redis per queued task of 200 B',
        lines: table(
          ['system', 'plain', 'with identity (Galley: and tag)'],
          [
            ['BullMQ', bull.toFixed(0), bullDedup.toFixed(0)],
            ['Galley', own.toFixed(0), ownDedup.toFixed(0)],
          ],
        ),
      },
    ],
  };
}
