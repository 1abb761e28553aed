import { TASK_STATES } from '@galley/contract';
import { type Fields, mergeHistograms, readHistogram } from '@galley/core';
import type { ServedQueue } from '../queue/queues.ts';
import type { Snapshots } from '../queue/snapshots.ts';
import { durationHistogramSamples, exposeMetric, type Sample } from './exposition.ts';

/** Every fourth half-octave of core's duration buckets, 16 ms to 2.3 h: enough for OCR, and few series. */
const EXPORTED_BUCKETS = Array.from({ length: 20 }, (_, index) => 8 + index * 2);

/** What ended tasks are counted as. */
const OUTCOMES = { completed: 'completed', cancelled: 'cancelled', dead_lettered: 'dead_letter' } as const;
const RUN_OUTCOMES = { retried: 'retried', crashed: 'crashed', released: 'released', submitted: 'submitted', revived: 'revived' } as const;

interface QueueFigures {
  readonly queue: string;
  readonly totals: Fields;
  readonly snapshot: Awaited<ReturnType<Snapshots['read']>>['snapshot'];
}

function durationSamples(queue: string, totals: Fields, prefix: 'wait:' | 'run:'): Sample[] {
  const all = mergeHistograms([readHistogram(totals, prefix), readHistogram(totals, `child:${prefix}`)]);
  return durationHistogramSamples({ queue }, all, EXPORTED_BUCKETS);
}

function outcomeSamples(queue: string, totals: Fields): Sample[] {
  return Object.entries({ ...OUTCOMES, ...RUN_OUTCOMES }).flatMap(([field, outcome]) => [
    { labels: { queue, type: 'document', outcome }, value: totals[field] ?? 0 },
    { labels: { queue, type: 'page', outcome }, value: totals[`child:${field}`] ?? 0 },
  ]);
}

/** `counter:pages` and, where the worker tells them apart, `counter:pages:<engine>:<outcome>`. */
function pageSamples(all: readonly QueueFigures[]): Sample[] {
  const sums = new Map<string, number>();
  for (const { totals } of all) {
    for (const [field, count] of Object.entries(totals)) {
      const match = /^counter:pages:([a-z-]{1,32}):([a-z_]{1,32})$/.exec(field);
      if (match !== null) sums.set(`${match[1]} ${match[2]}`, (sums.get(`${match[1]} ${match[2]}`) ?? 0) + count);
    }
  }
  return [...sums].map(([key, value]) => {
    const [engine = '', outcome = ''] = key.split(' ');
    return { labels: { engine, outcome }, value };
  });
}

/** The queue-wide series of DESIGN §6, from counters and snapshots: the cost does not grow with the number of tasks. */
export async function queueMetrics(served: readonly ServedQueue[], snapshots: Snapshots): Promise<string> {
  const all = await Promise.all(
    served.map(async (entry): Promise<QueueFigures> => {
      const [totals, { snapshot }] = await Promise.all([entry.inspector.totals(), snapshots.read(entry, 1_000)]);
      return { queue: entry.queue.name, totals, snapshot };
    }),
  );
  const each = (samples: (figures: QueueFigures) => Sample[]): Sample[] => all.flatMap(samples);
  const perShard = (value: (shard: QueueFigures['snapshot']['shards'][number]) => number): Sample[] =>
    each(({ queue, snapshot }) => snapshot.shards.map((shard) => ({ labels: { queue, shard: shard.shard }, value: value(shard) })));
  const oldest = (snapshot: QueueFigures['snapshot']): number =>
    Math.max(0, ...snapshot.shards.map((shard) => shard.oldest_pending_ms ?? 0));
  return [
    exposeMetric(
      'galley_tasks',
      'gauge',
      'Tasks by state.',
      each(({ queue, snapshot }) => TASK_STATES.map((state) => ({ labels: { queue, state }, value: snapshot.counts[state] }))),
    ),
    exposeMetric(
      'galley_shard_pending',
      'gauge',
      'Tasks in line by shard.',
      perShard((shard) => shard.pending),
    ),
    exposeMetric(
      'galley_shard_locks',
      'gauge',
      'Lock keys that exist by shard.',
      perShard((shard) => shard.locks),
    ),
    exposeMetric(
      'galley_oldest_pending_seconds',
      'gauge',
      'Age of the task that has been in line longest.',
      each(({ queue, snapshot }) => [{ labels: { queue }, value: oldest(snapshot) / 1_000 }]),
    ),
    exposeMetric(
      'galley_tasks_total',
      'counter',
      'Tasks and runs by what became of them.',
      each(({ queue, totals }) => outcomeSamples(queue, totals)),
    ),
    exposeMetric(
      'galley_task_wait_seconds',
      'histogram',
      'Time from being runnable to the start of a run.',
      each(({ queue, totals }) => durationSamples(queue, totals, 'wait:')),
    ),
    exposeMetric(
      'galley_task_run_seconds',
      'histogram',
      'Time of runs that completed.',
      each(({ queue, totals }) => durationSamples(queue, totals, 'run:')),
    ),
    exposeMetric('galley_pages_total', 'counter', 'Pages read by engine and outcome.', pageSamples(all)),
  ].join('');
}
