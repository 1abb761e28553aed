import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Relay, relayTo } from '../testing/relay.ts';
import { startTestRedis, type TestRedis, TestScheduler, until } from '../testing/scheduler.ts';
import { Workshop } from '../testing/workers.ts';
import { type Connection, connectRedis } from './connection.ts';

const WATCH = { beatMs: 50, silentBeats: 5 };
/** Six beats until it is noticed, and a few to spare for a busy machine. */
const NOTICED_MS = 2_000;

let redis: TestRedis;
let relay: Relay;
const workshop = new Workshop();
const opened: Connection[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  relay = await relayTo(redis.server.socketPath);
});
afterEach(async () => {
  await workshop.sweep();
  for (const connection of opened.splice(0)) await connection.close();
});
afterAll(async () => {
  await relay.close();
  await redis.stop();
});

function openOverRelay(): Connection {
  const connection = connectRedis(`redis://127.0.0.1:${relay.port}`, { watch: WATCH });
  opened.push(connection);
  return connection;
}

describe('a connection that is open and dead', () => {
  it('is noticed and replaced, and what waited for its answer is answered, once', async () => {
    const connection = openOverRelay();
    const scheduler = await TestScheduler.open(connection);
    const heard: boolean[] = [];
    connection.onAvailability((up) => heard.push(up));
    relay.silence();
    const id = await Promise.race([scheduler.submit(), until('it was noticed in time', () => Promise.resolve(false), NOTICED_MS)]);
    expect(await scheduler.state(String(id))).toBe('pending');
    expect((await scheduler.world()).counts).toEqual({ pending: 1 });
    expect(heard).toEqual([false, true]);
  });

  it('does not stop a worker for longer, nor its cancellations, though nobody said a word', async () => {
    const scheduler = await TestScheduler.open(redis.connection);
    const handlers = {
      work: () => Promise.resolve('ok'),
      wait: ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    };
    const { worker } = await workshop.worker(scheduler, redis.server.url, { connection: openOverRelay(), handlers, slots: 2 });
    const { id: held } = await scheduler.queue.submit('wait', null);
    await until('it runs', () => Promise.resolve(worker.busy === 1));
    relay.silence();
    const { id } = await scheduler.queue.submit('work', null);
    await scheduler.queue.cancel(held);
    await until('new work is done', async () => (await scheduler.state(id)) === 'completed', NOTICED_MS);
    await until('the cancelled run has stopped', () => Promise.resolve(worker.busy === 0), NOTICED_MS);
  });

  it('that carries nothing because nothing is to be said is left alone', async () => {
    const connection = openOverRelay();
    await connection.client.ping();
    const heard: boolean[] = [];
    connection.onAvailability((up) => heard.push(up));
    const asked = async (): Promise<number> =>
      Number(/cmdstat_ping:calls=(\d+)/.exec(await redis.connection.client.info('commandstats'))?.[1] ?? 0);
    const before = await asked();
    // It is asked every second beat, so that is four times as long as a dead one is borne with.
    await until('it has been asked again and again', async () => (await asked()) - before >= 2 * WATCH.silentBeats);
    expect(heard).toEqual([]);
  });
});
