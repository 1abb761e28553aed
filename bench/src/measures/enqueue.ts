import type { SubmitMode } from '../processes/messages.ts';
import { Submitter } from '../processes/submitter.ts';
import { table } from '../report/markdown.ts';
import { atLeast, type Findings, withRange } from '../report/verdict.ts';
import { ratios, spread } from '../statistics.ts';
import type { SystemName } from '../systems/system.ts';
import { type Bench, SUBMIT_DEFAULTS } from './measure.ts';

interface EnqueueWay {
  readonly name: string;
  readonly mode: SubmitMode;
  readonly count: number;
  readonly warmUp: number;
  readonly floor: number;
  readonly identityFloor: number;
}

/** BullMQ's bulk call is fastest in chunks of about 1,000; Galley coalesces whatever comes in one turn. */
const WAYS: readonly EnqueueWay[] = [
  { name: 'bulk', mode: { kind: 'bulk', chunk: 1_000 }, count: 50_000, warmUp: 5_000, floor: 6, identityFloor: 3 },
  { name: '200 concurrent', mode: { kind: 'concurrent', width: 200 }, count: 20_000, warmUp: 5_000, floor: 4, identityFloor: 2 },
  { name: 'awaited', mode: { kind: 'awaited' }, count: 3_000, warmUp: 1_000, floor: 1, identityFloor: 0.9 },
];

interface Cost {
  readonly wall: number;
  readonly server: number;
  readonly client: number;
}

async function enqueueOnce({ redis }: Bench, system: SystemName, way: EnqueueWay, count: number, identities: boolean): Promise<Cost> {
  await redis.flush();
  const submitter = await Submitter.open({
    ...SUBMIT_DEFAULTS,
    socketPath: redis.socketPath,
    system,
    mode: way.mode,
    count,
    identities,
    warmUp: way.warmUp,
    keepIds: true,
  });
  const before = await redis.cpuUs();
  submitter.start();
  const { wallMs, cpuUs, ids } = await submitter.finished();
  const server = (await redis.cpuUs()) - before;
  if (new Set(ids).size !== count) throw new Error(`${system} gave ${new Set(ids).size} ids for ${count} tasks`);
  return { wall: (wallMs * 1_000) / count, server: server / count, client: cpuUs / count };
}

/** Row 4: adding tasks, plain and with dedup identity (and a tag, which BullMQ does not have). */
export async function measureEnqueue(bench: Bench): Promise<Findings> {
  const runs = [false, true].flatMap((identities) => WAYS.map((way) => ({ way, identities })));
  const costs = new Map<string, Cost[]>();
  const keyOf = (system: SystemName, way: EnqueueWay, identities: boolean): string =>
    `${system === 'galley' ? 'Galley' : system === 'bullmq' ? 'BullMQ' : system}, ${way.name}${identities ? ', identity' : ''}`;
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const { way, identities } of runs) {
      const count = bench.options.quick ? way.count / 5 : way.count;
      const systems: SystemName[] = identities ? ['bullmq', 'galley'] : ['bullmq', 'galley', 'bee-queue', 'raw'];
      for (const system of systems) {
        const cost = await enqueueOnce(bench, system, way, count, identities);
        const key = keyOf(system, way, identities);
        costs.set(key, [...(costs.get(key) ?? []), cost]);
        bench.log(
          `  round ${round} ${key}: ${cost.wall.toFixed(1)} us wall, ${cost.server.toFixed(1)} server, ${cost.client.toFixed(1)} client`,
        );
      }
    }
  }
  const wallsOf = (system: SystemName, way: EnqueueWay, identities: boolean): number[] =>
    (costs.get(keyOf(system, way, identities)) ?? []).map(({ wall }) => wall);
  return {
    verdicts: runs.map(({ way, identities }) =>
      atLeast(
        {
          measure: `enqueue, ${way.name}${identities ? ', identity and tag' : ''}: wall`,
          column: 'both',
          floor: identities ? way.identityFloor : way.floor,
          unit: '×',
        },
        ratios(wallsOf('bullmq', way, identities), wallsOf('galley', way, identities)),
      ),
    ),
    sections: [
      {
        title: 'Adding tasks, microseconds per task',
        lines: table(
          ['system', 'wall', 'server CPU', 'client CPU'],
          [...costs].map(([name, own]) => [
            name,
            ...(['wall', 'server', 'client'] as const).map((part) => withRange(spread(own.map((cost) => cost[part])), '')),
          ]),
        ),
      },
    ],
  };
}
