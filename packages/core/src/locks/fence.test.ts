import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { connectRedis } from '../redis/connection.ts';
import { startTemporaryRedisServer } from '../redis-server/index.ts';
import { rabbitServer, startTestBroker } from '../testing/locks/rabbitmq-broker.ts';
import { Locks } from './locks.ts';
import { RabbitLockStore } from './rabbitmq/rabbit-lock-store.ts';
import { RedisLockStore } from './redis/redis-lock-store.ts';

const HOLDER = new URL('../testing/fixtures/lock-holder.mjs', import.meta.url);
const TTL_MS = 1_000;
const withRabbit = (await rabbitServer()) !== null;
if (!withRabbit) console.warn('RabbitMQ is not installed (Debian: apt-get install rabbitmq-server): its fence is not tested here.');

/** What a table, a file service or a database column does with fences: the highest it has seen counts, a lower one is refused. */
class FencedTable {
  readonly rows: string[] = [];
  private highest = 0;

  write(value: string, fence: number): 'written' | 'refused' {
    if (fence < this.highest) return 'refused';
    this.highest = fence;
    this.rows.push(value);
    return 'written';
  }
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
}, 60_000);

async function message(child: ChildProcess): Promise<{ write: string; fence: number }> {
  const [said] = (await once(child, 'message')) as [{ write: string; fence: number }];
  return said;
}

/** One holder is frozen past its TTL (or the broker's patience), another takes over and writes, and the first wakes and writes too. */
async function freezeHolder(kind: 'redis' | 'rabbitmq', url: string, locks: Locks): Promise<void> {
  const table = new FencedTable();
  const child = fork(HOLDER, [JSON.stringify({ kind, url, name: 'etl:table', ttlMs: TTL_MS })]);
  closers.push(() => {
    child.kill('SIGKILL');
    return once(child, 'exit');
  });
  await message(child);
  child.send('before');
  const before = await message(child);
  expect(table.write(before.write, before.fence)).toBe('written');

  child.kill('SIGSTOP');
  const other = await locks.acquire('etl:table', { ttlMs: 20_000, waitMs: 15_000 });
  expect(table.write('by the other', Number(other.fence))).toBe('written');
  child.send('stale');
  child.kill('SIGCONT');
  const stale = await message(child);
  expect(stale).toEqual({ write: 'stale', fence: before.fence });
  expect(table.write(stale.write, stale.fence)).toBe('refused');
  expect(table.rows).toEqual(['before', 'by the other']);
  expect(await other.release()).toBe('released');
}

describe('a holder that is frozen past its TTL', () => {
  it('is refused by its fence, where the lock is in Redis', async () => {
    const server = await startTemporaryRedisServer();
    closers.push(() => server.stop());
    const connection = connectRedis(server.url);
    const store = new RedisLockStore(connection);
    closers.push(
      () => connection.close(),
      () => store.close(),
    );
    await freezeHolder('redis', server.url, new Locks({ store }));
  }, 30_000);

  it.runIf(withRabbit)(
    'is refused by its fence, where the lock is in RabbitMQ, whose broker gives up on it',
    async () => {
      const broker = await startTestBroker();
      closers.push(() => broker.stop());
      const store = new RabbitLockStore({ url: broker.url, heartbeatSeconds: 1 });
      closers.push(() => store.close());
      await freezeHolder('rabbitmq', broker.url, new Locks({ store }));
    },
    60_000,
  );
});
