import { type Connection, connectRedis, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultProxy } from './fault-proxy.ts';

let redis: TemporaryRedisServer;
let proxy: FaultProxy;
const opened: Connection[] = [];

async function through(name: string): Promise<Connection> {
  const connection = connectRedis(await proxy.open(name));
  opened.push(connection);
  await connection.client.ping();
  return connection;
}

/** How often it lost Redis from now on. */
function losses(connection: Connection): () => number {
  let count = 0;
  connection.onAvailability((up) => (count += up ? 0 : 1));
  return () => count;
}

beforeEach(async () => {
  redis = await startTemporaryRedisServer();
  proxy = new FaultProxy(redis.socketPath);
});
afterEach(async () => {
  for (const connection of opened.splice(0)) await connection.close();
  await proxy.close();
  await redis.stop();
});

describe('the proxy', () => {
  it('passes on what is said, large replies too', async () => {
    const { client } = await through('one');
    const large = 'x'.repeat(3_000_000);
    await client.set('key', large);
    expect(await client.get('key')).toBe(large);
  });

  it('cuts one and leaves the others', async () => {
    const [one, two] = [await through('one'), await through('two')];
    const [lossesOfOne, lossesOfTwo] = [losses(one), losses(two)];
    const lost = new Promise<void>((resolve) => one.onAvailability((up) => (up ? undefined : resolve())));
    proxy.cut('one');
    await lost;
    expect(await one.client.ping()).toBe('PONG');
    expect(await two.client.ping()).toBe('PONG');
    expect([lossesOfOne(), lossesOfTwo()]).toEqual([1, 0]);
  });

  it('cuts a reply in its middle: the command was carried out, and is sent again', async () => {
    const one = await through('one');
    const lossesOfOne = losses(one);
    proxy.cutInReply('one');
    expect(await one.client.incr('number')).toBe(2);
    expect(lossesOfOne()).toBe(1);
  });

  it('holds everything back while it is stalled, and loses nothing of it', async () => {
    const [one, two] = [await through('one'), await through('two')];
    proxy.stall('one');
    let answered = false;
    const held = one.client.incr('number').then((value) => {
      answered = true;
      return value;
    });
    // By the time another has been answered often, an answer would have come.
    for (let turn = 0; turn < 200; turn++) await two.client.ping();
    expect(answered).toBe(false);
    proxy.resume('one');
    expect(await held).toBe(1);
  });
});
