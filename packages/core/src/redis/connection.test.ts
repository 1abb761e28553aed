import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { startTemporaryRedisServer, type TemporaryRedisServer } from '../redis-server/index.ts';
import { relayTo } from '../testing/relay.ts';
import { TestScheduler, until } from '../testing/scheduler.ts';
import { Claimer } from '../worker/claimer.ts';
import { type Connection, connectRedis } from './connection.ts';

let server: TemporaryRedisServer;
const opened: Connection[] = [];

function open(url: string): Connection {
  const connection = connectRedis(url);
  opened.push(connection);
  return connection;
}

beforeEach(async () => {
  server = await startTemporaryRedisServer({ appendfsync: 'always' });
});
afterEach(async () => {
  for (const connection of opened.splice(0)) await connection.close();
  await server.stop();
});

describe('an address', () => {
  it.each(['unix:', 'unix://', 'redis+unix:', 'redis+unix://'])('may be a socket behind %s', async (scheme) => {
    expect(await open(`${scheme}${server.socketPath}`).client.ping()).toBe('PONG');
  });

  it('may be a host and port', async () => {
    const relay = await relayTo(server.socketPath);
    expect(await open(`redis://127.0.0.1:${relay.port}`).client.ping()).toBe('PONG');
    expect(await open(` redis://127.0.0.1:${relay.port}/0 `).client.ping()).toBe('PONG');
    await relay.close();
  });

  it('in a list is a cluster', async () => {
    const connection = open('redis://127.0.0.1:1,redis://127.0.0.1:2');
    expect(connection.isCluster).toBe(true);
    expect(open(server.url).isCluster).toBe(false);
  });

  it.each([
    'http://user:hunter2@host',
    'user:hunter2@host:6379',
    ':hunter2@host',
    'redis:/:hunter2@host',
    'redis//:hunter2@host',
    'http://user:hunt/hunter2@host',
    'http://user:p@hunter2@host',
    'redis://ok:6379,:hunter2@host:6379',
    'redis://:hunter2@host:99999,redis://other',
    'redis://:hunter2@ho st,redis://other',
    'redis://:hunter2@host:99999',
  ])('that is none is refused in a sentence that hides the password: %s', (url) => {
    const refusal = (() => {
      try {
        open(url);
        return null;
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/redis:\/\/host:6379/) });
    const told = inspect(refusal, { showHidden: true, depth: 5 });
    expect(told).not.toContain('hunter2');
  });
});

describe('a script call', () => {
  it('survives SCRIPT FLUSH, alone and in a round trip', async () => {
    const scheduler = await TestScheduler.open(open(server.url));
    await scheduler.submit();
    await scheduler.connection.client.script('FLUSH');
    const id = await scheduler.submit();
    await scheduler.connection.client.script('FLUSH');
    expect((await scheduler.claim('w1', { limit: 2 })).tasks).toHaveLength(2);
    await scheduler.connection.client.script('FLUSH');
    expect(await scheduler.complete('w1', id, 1)).toBe('completed');
  });

  it('on a closed connection is refused under a code to whoever submits or pauses', async () => {
    const connection = open(server.url);
    const fair = await TestScheduler.open(connection, { order: 'fair' });
    const scheduler = await TestScheduler.open(connection);
    await connection.close();
    for (const act of [() => scheduler.submit(), () => fair.submit(), () => scheduler.queue.pause(), () => scheduler.queue.resume()])
      await expect(act()).rejects.toMatchObject({ name: 'GalleyError', code: 'redis_unavailable' });
  });

  it('survives a restart, and waits while Redis is away', async () => {
    const connection = open(server.url);
    const scheduler = await TestScheduler.open(connection);
    await scheduler.submit();
    const heard: boolean[] = [];
    connection.onAvailability((up) => heard.push(up));
    await server.kill9();
    await until('the loss is noticed', () => Promise.resolve(!connection.isUp()));
    const waiting = scheduler.submit();
    await server.restart();
    await waiting;
    expect(connection.isUp()).toBe(true);
    expect(heard).toEqual([false, true]);
    expect((await scheduler.claim('w1', { limit: 5 })).tasks).toHaveLength(2);
  });

  it('whose reply is lost runs once: submit and claim answer again what they first did', async () => {
    const relay = await relayTo(server.socketPath);
    const connection = open(`redis://127.0.0.1:${relay.port}`);
    const scheduler = await TestScheduler.open(connection);
    await scheduler.submit();
    for (const round of [1, 2, 3]) {
      relay.loseNextReply();
      const id = await scheduler.submit({}, round);
      expect((await scheduler.get(id)).payload).toBe(round);
    }
    expect(relay.lost()).toBe(3);
    expect((await scheduler.world()).counts).toEqual({ pending: 4 });
    relay.loseNextReply();
    const { tasks } = await scheduler.claim('w1', { limit: 10 });
    expect(relay.lost()).toBe(4);
    expect(tasks).toHaveLength(4);
    expect(new Set(tasks.map((task) => task.record.fence))).toEqual(new Set([1]));
    await connection.close();
    await relay.close();
  });

  it('whose connection is cut in the middle of a round trip’s replies is answered all the same, and claims nothing for nobody', async () => {
    const relay = await relayTo(server.socketPath);
    const connection = open(`redis://127.0.0.1:${relay.port}`);
    const scheduler = await TestScheduler.open(connection, { shards: 2 });
    for (let round = 0; round < 5; round++) {
      const submitted = await Promise.all([scheduler.submit(), scheduler.submit()]);
      const claimer = new Claimer(connection, [scheduler.queue], `w${round}`, systemClock);
      relay.cutNextReply();
      const claimed = (await claimer.claim(2, () => false)).flatMap(({ reply }) => reply.tasks);
      expect(claimed.map((task) => task.id).toSorted()).toEqual(submitted.toSorted());
      expect(claimed.map((task) => task.record.fence)).toEqual([1, 1]);
    }
    expect(relay.lost()).toBe(5);
    await connection.close();
    await relay.close();
  });
});
