import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite({ appendfsync: 'always' });
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const BACK_WITHIN_MS = 2_000;
/** Long ones are asked for: GALLEY_TEST_OUTAGES=3,10,60 */
const SECONDS = (process.env['GALLEY_TEST_OUTAGES'] ?? '3,10').split(',').map(Number);
if (!SECONDS.includes(60)) console.info('The outage of 60 s is left out; GALLEY_TEST_OUTAGES=3,10,60 has it run.');

/** Short against the longer outages, so that leases run out in them as the default one does in a minute. */
const LEASE_MS = 4_000;

describe.each(SECONDS)('when Redis is away for %i s', (seconds) => {
  it.each(['killed', 'frozen'] as const)(
    '%s: work resumes within two seconds of its being back, nothing of ours is restarted, and no crash is counted',
    async (how) => {
      const { scheduler } = await suite.open({ shards: 8, settings: { leaseMs: LEASE_MS } });
      const { server } = suite.redis;
      const journal = await workshop.journal();
      const workers = await Promise.all([1, 2].map(() => workshop.process(scheduler, server.url, { slots: 2, periodMs: 500 })));
      const long = await Promise.all([1, 2].map(() => scheduler.queue.submit('slow', { file: journal.file, ms: seconds * 1_000 + 1_500 })));
      await journal.until('begin', 2);
      const short = await Promise.all(Array.from({ length: 20 }, () => scheduler.queue.submit('slow', { file: journal.file, ms: 20 })));
      if (how === 'killed') await server.kill9();
      else server.pause();
      const gone = performance.now();
      await until('it has been away', () => Promise.resolve(performance.now() - gone > seconds * 1_000), seconds * 1_000 + 10_000);
      if (how === 'killed') await server.restart();
      else server.resume();
      const back = performance.now();
      const next = await scheduler.queue.submit('work', null, { priority: 1 });
      await until('new work is done', async () => (await scheduler.state(next.id)) === 'completed', BACK_WITHIN_MS);
      expect(performance.now() - back).toBeLessThan(BACK_WITHIN_MS);
      await until('all are done', async () => (await scheduler.inspector.counts()).completed === 23, 20_000);
      for (const task of await scheduler.inspector.getMany([...long, ...short].map(({ id }) => id)))
        expect(task).toMatchObject({ state: 'completed', crashes: 0, attempts: 0, errors: [] });
      expect((await scheduler.inspector.totals()).crashed ?? 0).toBe(0);
      expect(workers.map((worker) => worker.exitCode)).toEqual([null, null]);
    },
    seconds * 1_000 + 90_000,
  );
});
