import { connectRedis, Feed, findLayout, Inspector } from '@galley/core';
import { findOvertaken, type LineEvent, type Overtaking } from '../overtaken.ts';
import { Crew } from '../processes/crew.ts';
import { Submitter, submitAll } from '../processes/submitter.ts';
import { table } from '../report/markdown.ts';
import { atMost, type Findings, figure } from '../report/verdict.ts';
import { quantile, spread } from '../statistics.ts';
import { type Bench, SUBMIT_DEFAULTS, WORKER_DEFAULTS } from './measure.ts';

const WORKERS = 4;
const LEVELS = 100;
const BACKLOG = 50_000;
const BACKLOG_PRIORITY = 200;
const ARRIVALS_PER_SECOND = 2_000;
const ARRIVAL_SECONDS = 5;
const SETTLE_MS = 60_000;
const READ_AT_ONCE = 1_000;

/** Listens to a queue's events on one connection, which hears them in the order of the scripts. */
async function listen(socketPath: string): Promise<{ events: LineEvent[]; close: () => Promise<void> }> {
  const connection = connectRedis(`unix:${socketPath}`);
  const layout = await findLayout(connection, 'bench');
  if (layout === null) throw new Error('the queue does not exist yet');
  const events: LineEvent[] = [];
  const feed = new Feed(connection, {
    onEvent: ({ verb, taskIds }) => {
      if (verb === 'submitted' || verb === 'claimed') events.push({ verb, taskIds });
    },
  });
  await feed.follow(layout);
  return {
    events,
    close: async () => {
      feed.close();
      await connection.close();
    },
  };
}

function claimNames(reports: readonly { readonly claims: readonly (readonly string[])[] }[]): (id: string) => string {
  const names = new Map<string, string>();
  reports.forEach(({ claims }, worker) => claims.forEach((ids, index) => ids.forEach((id) => names.set(id, `${worker}:${index}`))));
  return (id) => names.get(id) ?? id;
}

function priorities(ids: readonly string[], levels: number, alone: number): [string, number][] {
  return ids.map((id, index) => [id, levels > 1 ? 1 + (index % levels) : alone]);
}

async function withoutArrivals({ redis, options }: Bench): Promise<Overtaking> {
  await redis.flush();
  const count = options.quick ? 10_000 : 50_000;
  const place = { socketPath: redis.socketPath, system: 'galley' } as const;
  const order = { ...SUBMIT_DEFAULTS, ...place, mode: { kind: 'bulk', chunk: 1_000 }, priorities: LEVELS, keepIds: true } as const;
  const { ids } = await submitAll({ ...order, count });
  const feed = await listen(redis.socketPath);
  const crew = await Crew.open(WORKERS, { ...WORKER_DEFAULTS, ...place });
  try {
    crew.start();
    await crew.until('it is drained', ({ ended }) => ended >= count, SETTLE_MS);
    const priorityOf = new Map(priorities(ids, LEVELS, 0));
    const events: LineEvent[] = [{ verb: 'submitted', taskIds: ids }, ...feed.events];
    return findOvertaken(events, (id) => priorityOf.get(id) ?? 0, claimNames(await crew.report()));
  } finally {
    await crew.end();
    await feed.close();
  }
}

interface WithArrivals extends Overtaking {
  /** Milliseconds from the submit of each overtaken task to the last worse start before its own, by Redis's clock. */
  readonly ages: number[];
}

async function withArrivals({ redis }: Bench): Promise<WithArrivals> {
  await redis.flush();
  const place = { socketPath: redis.socketPath, system: 'galley' } as const;
  const order = { ...SUBMIT_DEFAULTS, ...place, keepIds: true } as const;
  const backlog = await submitAll({ ...order, mode: { kind: 'bulk', chunk: 1_000 }, count: BACKLOG, priority: BACKLOG_PRIORITY });
  const count = ARRIVALS_PER_SECOND * ARRIVAL_SECONDS;
  const submitter = await Submitter.open({ ...order, mode: { kind: 'paced', perSecond: ARRIVALS_PER_SECOND }, count, priorities: LEVELS });
  const feed = await listen(redis.socketPath);
  const crew = await Crew.open(WORKERS, { ...WORKER_DEFAULTS, ...place, slots: 20, workMs: 10 });
  try {
    crew.start();
    await crew.until('workers are busy', ({ ended }) => ended > 200, SETTLE_MS);
    submitter.start();
    const arrived = await submitter.finished();
    const heard = feed.events.slice();
    const { started } = crew.count();
    await crew.until('what was claimed has begun', (now) => now.started > started + 200, SETTLE_MS);
    const reports = await crew.report();
    const priorityOf = new Map([...priorities(backlog.ids, 1, BACKLOG_PRIORITY), ...priorities(arrived.ids, LEVELS, 0)]);
    const events: LineEvent[] = [{ verb: 'submitted', taskIds: backlog.ids }, ...heard];
    const found = findOvertaken(events, (id) => priorityOf.get(id) ?? 0, claimNames(reports));
    return { ...found, ages: await agesOf(redis.socketPath, found.overtaken) };
  } finally {
    await crew.end();
    await feed.close();
  }
}

async function agesOf(socketPath: string, overtaken: ReadonlyMap<string, string>): Promise<number[]> {
  const connection = connectRedis(`unix:${socketPath}`);
  try {
    const layout = await findLayout(connection, 'bench');
    if (layout === null) throw new Error('the queue is gone');
    const inspector = new Inspector(connection, layout);
    const pairs = [...overtaken];
    const ages: number[] = [];
    for (let from = 0; from < pairs.length; from += READ_AT_ONCE) {
      const some = pairs.slice(from, from + READ_AT_ONCE);
      const tasks = await inspector.getMany(some.flat());
      some.forEach((_, index) => {
        const [better, worse] = [tasks[2 * index], tasks[2 * index + 1]];
        if (better && worse?.startedAt) ages.push(worse.startedAt - better.createdAt);
      });
    }
    return ages;
  } finally {
    await connection.close();
  }
}

/** Row 9: priority over 8 shards and 4 worker processes. */
export async function measureOvertaking(bench: Bench): Promise<Findings> {
  const still: Overtaking[] = [];
  const moving: WithArrivals[] = [];
  for (let round = 1; round <= bench.options.rounds; round++) {
    const alone = await withoutArrivals(bench);
    const arriving = await withArrivals(bench);
    still.push(alone);
    moving.push(arriving);
    bench.log(`  round ${round}: without arrivals ${alone.overtakingClaims} of ${alone.claims} claims overtook`);
    bench.log(
      `  round ${round}: with arrivals ${arriving.overtakingClaims} of ${arriving.claims} claims, age p50 ${figure(quantile(arriving.ages, 0.5))}, p99 ${figure(quantile(arriving.ages, 0.99))} ms`,
    );
  }
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const p99 = spread(moving.map(({ ages }) => (ages.length === 0 ? 0 : quantile(ages, 0.99))));
  const counts = (name: string, all: readonly Overtaking[]): string[] => [
    name,
    String(sum(all.map(({ claims }) => claims))),
    String(sum(all.map(({ overtakingClaims }) => overtakingClaims))),
    String(sum(all.map(({ overtaken }) => overtaken.size))),
  ];
  const total = spread([sum(still.map(({ overtaken }) => overtaken.size))]);
  return {
    verdicts: [
      atMost({ measure: 'overtaken tasks, 8 shards, 4 workers, no arrivals', column: 'both', floor: 0, unit: '' }, total),
      atMost(
        { measure: `age of an overtaken task at ${ARRIVALS_PER_SECOND} arrivals/s, p99`, column: 'both', floor: 25, unit: ' ms' },
        p99,
      ),
    ],
    sections: [
      {
        title: 'Priority over 8 shards, 4 worker processes, all rounds together',
        lines: [
          ...table(
            ['', 'claims', 'that overtook', 'overtaken tasks'],
            [
              counts('no arrivals, 100 priorities', still),
              counts(`${ARRIVALS_PER_SECOND} arrivals/s, all better than the backlog`, moving),
            ],
          ),
        ],
      },
    ],
  };
}
