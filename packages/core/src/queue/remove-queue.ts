import type { Connection } from '../redis/connection.ts';
import { queueKey, queueKeyPatterns, queuesKey } from '../redis/keys.ts';
import { masterNodes } from '../redis/nodes.ts';

const KEYS_PER_STEP = 500;

/**
 * Removes a queue with everything in it: its tasks, results, counts and its definition. Nobody may be using it, and nothing of it
 * can be had back. Walks the keyspace in bounded steps, so it is for queues that were made to be thrown away, such as trials.
 */
export async function removeQueue(connection: Connection, queue: string): Promise<void> {
  const { client } = connection;
  for (const node of masterNodes(connection)) {
    for (const pattern of queueKeyPatterns(queue)) {
      let cursor = '0';
      do {
        const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_STEP);
        await Promise.all(keys.map((key) => client.unlink(key)));
        cursor = next;
      } while (cursor !== '0');
    }
  }
  await client.srem(queuesKey, queue);
  await client.del(queueKey(queue));
}
