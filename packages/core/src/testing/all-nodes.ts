import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from '../redis/connection.ts';

/** Every master, or the one server. */
function mastersOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** Keys by pattern over all nodes: for tests alone. */
export async function keysLike(client: RedisClient, pattern: string): Promise<string[]> {
  return (await Promise.all(mastersOf(client).map((node) => node.keys(pattern)))).flat();
}

export async function flushAll(client: RedisClient): Promise<void> {
  await Promise.all(mastersOf(client).map((node) => node.flushall()));
}
