import { afterEach, describe, expect, it } from 'vitest';
import { rateKey, workerKey } from '../redis/keys.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';
import { listWorkers } from './registry.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const handlers = { work: () => Promise.resolve('ok') };

describe('a worker with every chore and nothing to do', () => {
  it('sends a few commands a second, however many shards it serves', async () => {
    const { scheduler } = await suite.open({ shards: 32 });
    const { url } = suite.redis.server;
    const { client } = suite.connection;
    await workshop.chores(scheduler, url, 200);
    await workshop.worker(scheduler, url, { handlers });
    const calls = async (): Promise<number> => {
      const stats = await client.info('commandstats');
      // Its own are not counted, nor what a script does in its one call.
      return [...stats.matchAll(/cmdstat_(\S+):calls=(\d+)/g)].reduce(
        (sum, [, name, count]) => (name?.startsWith('config') || name === 'info' ? sum : sum + Number(count)),
        0,
      );
    };
    // The first passes of all chores are over.
    await until('the scrubber has looked', async () => (await client.keys('lock:name:*')).length === 1);
    await client.config('RESETSTAT');
    const from = performance.now();
    await until('a second has gone by', () => Promise.resolve(performance.now() - from > 1_000));
    // Five looks of reaper and promoter, which look five times as often here, and whatever else falls into one second in five.
    expect(await calls()).toBeLessThanOrEqual(16);
  });

  it('says within a second what it does when something comes, though it says seldom that it is idle', async () => {
    const { scheduler } = await suite.open();
    let finish = (): void => undefined;
    const waiting = { work: () => new Promise<string>((resolve) => (finish = () => resolve('ok'))) };
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: waiting });
    await until('it is registered', async () => (await listWorkers(suite.connection)).length === 1);
    await scheduler.submit();
    await until('it runs', () => Promise.resolve(worker.busy === 1));
    await until('it says so', async () => (await listWorkers(suite.connection))[0]?.busy === 1, 2_000);
    finish();
  });

  it('learns of a rate of which it missed the word as soon as it listens again', async () => {
    const { scheduler } = await suite.open();
    const { client } = suite.connection;
    await scheduler.queue.setRate({ count: 1, perMs: 86_400_000 });
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers });
    await Promise.all([scheduler.submit(), scheduler.submit()]);
    await until('one is done and no more may start', async () => (await scheduler.inspector.counts()).completed === 1);
    // It says nothing and reads nothing for a while: its registration grows older than a busy one's does.
    await until('it rests', async () => (await client.pttl(workerKey(worker.id))) < 13_500);
    await client.del(rateKey(scheduler.shard.keys.base));
    await client.call('client', 'kill', 'type', 'pubsub');
    await until('the other is done', async () => (await scheduler.inspector.counts()).completed === 2, 2_000);
  });
});
