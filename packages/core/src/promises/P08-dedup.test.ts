import { afterEach, expect, it } from 'vitest';
import { Queue } from '../queue/queue.ts';
import { type Connection, connectRedis } from '../redis/connection.ts';
import { conformanceSuite } from '../testing/suite.ts';

const suite = conformanceSuite();
const connections: Connection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
});

it('P8: a hundred racing submits of one identity over ten connections make one task, and all say which', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  const queues = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const connection = connectRedis(suite.redis.server.url);
      connections.push(connection);
      return Queue.open(connection, scheduler.queue.name);
    }),
  );
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (queues[index % 10] ?? scheduler.queue).submit('work', index, { identity: ['same bytes', 'same options', 'owner'] }),
    ),
  );
  expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
  expect(answers.filter((answer) => !answer.duplicate)).toHaveLength(1);
  const counts = await scheduler.inspector.counts();
  expect(counts.pending).toBe(1);
});

it('P8: bytes, options, owner and type each make another identity', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  const submit = (type: string, identity: string[]): Promise<{ id: string; duplicate: boolean }> =>
    scheduler.queue.submit(type, null, { identity });
  const answers = [
    await submit('work', ['bytes', 'options', 'owner']),
    await submit('work', ['other', 'options', 'owner']),
    await submit('work', ['bytes', 'other', 'owner']),
    await submit('work', ['bytes', 'options', 'other']),
    await submit('other', ['bytes', 'options', 'owner']),
  ];
  expect(answers.map((answer) => answer.duplicate)).toEqual(Array(5).fill(false));
});

it('P8: a concurrency key is part of the identity, whether its shard is the same or another', async () => {
  const { scheduler } = await suite.open({ shards: 2 });
  const submit = (concurrencyKey: string): Promise<{ id: string; duplicate: boolean }> =>
    scheduler.queue.submit('work', null, { identity: ['same'], concurrencyKey });
  const keys = Array.from({ length: 6 }, (_, index) => `key ${index}`);
  const first = await Promise.all(keys.map(submit));
  expect(first.map((answer) => answer.duplicate)).toEqual(Array(6).fill(false));
  expect(await Promise.all(keys.map(submit))).toMatchObject(first.map(({ id }) => ({ id, duplicate: true })));
  expect((await scheduler.queue.submit('work', null, { identity: ['same'] })).duplicate).toBe(false);
});

it('P8: the identity follows the task through its whole life', async () => {
  const { scheduler, given } = await suite.open();
  const identity = ['same'];
  const ask = (): Promise<{ id: string; duplicate: boolean }> => scheduler.queue.submit('work', null, { identity });
  const { id } = await ask();
  const run = await given.claimed(id);
  expect(await ask()).toMatchObject({ id, duplicate: true });
  await scheduler.fail('w1', id, run.fence, { class: 'permanent' });
  // Dead: free. Another takes it, and a revival answers so.
  const second = await ask();
  expect(second.duplicate).toBe(false);
  expect(await scheduler.queue.revive([id])).toEqual(['identity_taken']);
  const other = await given.claimed(second.id);
  await scheduler.complete('w1', second.id, other.fence, '"held"', 200);
  expect(await ask()).toMatchObject({ id: second.id, duplicate: true });
  await scheduler.queue.purge([second.id]);
  expect(await scheduler.queue.revive([id])).toEqual(['revived']);
  expect(await ask()).toMatchObject({ id, duplicate: true });
  await scheduler.queue.cancel(id);
  expect((await ask()).duplicate).toBe(false);
});

it('P8: a revival and a submit that race for an identity leave it to one of them', async () => {
  const { scheduler, given } = await suite.open();
  for (let round = 0; round < 20; round++) {
    const { id } = await given.deadLettered({ identity: [`same ${round}`] });
    const [[word], submitted] = await Promise.all([
      scheduler.queue.revive([id]),
      scheduler.queue.submit('work', null, { identity: [`same ${round}`] }),
    ]);
    if (word === 'revived') expect(submitted).toMatchObject({ id, duplicate: true });
    else expect([word, submitted.duplicate]).toEqual(['identity_taken', false]);
  }
});

it('P8: an expired result frees the identity by Redis’s own expiry', async () => {
  const { scheduler, given } = await suite.open();
  const { id } = await given.completed({ identity: ['same'], resultLifeMs: 30 });
  const { until } = await import('../testing/scheduler.ts');
  await until('the result is gone', async () => (await scheduler.inspector.result(id)) === null);
  expect((await scheduler.queue.submit('work', null, { identity: ['same'] })).duplicate).toBe(false);
});
