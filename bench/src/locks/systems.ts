import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRedis, Locks, RedisLockStore } from '@galley/core';
import { Redis } from 'ioredis';
import Redlock from 'redlock';

/** One who wants locks, on a connection of its own. */
export interface Contender {
  /** Waits until it has the lock. */
  acquire(name: string): Promise<{ release(): Promise<unknown> }>;
  close(): Promise<void>;
}

export interface LockSystem {
  readonly title: string;
  /** What the keys of held locks look like. */
  readonly pattern: string;
  open(socketPath: string): Promise<Contender>;
}

const TTL_MS = 10_000;
const POLL_MS = 50;
const COMPARE_AND_DELETE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const SHA = createHash('sha1').update(COMPARE_AND_DELETE).digest('hex');

function galley(title: string, fair: boolean): LockSystem {
  return {
    title,
    pattern: 'lock:name:*',
    open: async (socketPath) => {
      const connection = connectRedis(`unix:${socketPath}`);
      await connection.client.ping();
      const store = new RedisLockStore(connection);
      const locks = new Locks({ store });
      return {
        acquire: (name) => locks.acquire(name, { ttlMs: TTL_MS, waitMs: 120_000, fair }),
        close: async () => {
          await store.close();
          await connection.close();
        },
      };
    },
  };
}

/** The two commands that any lock in Redis needs: SET NX PX, and a compare and delete. Tried again every 50 ms when it is held. */
const polling: LockSystem = {
  title: 'SET NX PX and compare-and-delete, polled every 50 ms',
  pattern: 'bare:*',
  open: async (socketPath) => {
    const client = new Redis(socketPath);
    await client.script('LOAD', COMPARE_AND_DELETE);
    return {
      acquire: async (name) => {
        const token = randomBytes(10).toString('hex');
        while ((await client.set(`bare:${name}`, token, 'PX', TTL_MS, 'NX')) === null) await delay(POLL_MS);
        return { release: () => client.evalsha(SHA, 1, `bare:${name}`, token) };
      },
      close: async () => {
        client.disconnect();
      },
    };
  },
};

/** With its own defaults (a retry after 200 ms ± 100), but never giving up. */
const redlock: LockSystem = {
  title: 'redlock (npm)',
  pattern: 'redlock:*',
  open: async (socketPath) => {
    const client = new Redis(socketPath);
    await client.ping();
    const locks = new Redlock([client], { retryCount: -1 });
    locks.on('error', () => undefined);
    return {
      acquire: (name) => locks.acquire([`redlock:${name}`], TTL_MS),
      close: async () => {
        client.disconnect();
      },
    };
  },
};

export const GALLEY = galley('Galley', false);
export const POLLING = polling;
export const LOCK_SYSTEMS: readonly LockSystem[] = [GALLEY, galley('Galley, fair', true), redlock, polling];
