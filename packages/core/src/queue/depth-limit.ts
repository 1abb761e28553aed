import { GalleyError } from '@galley/contract';
import type { Connection } from '../redis/connection.ts';
import type { QueueLayout, ShardLayout } from './layout.ts';

/** What a caller is told to wait when the queue is full. */
const QUEUE_FULL_RETRY_MS = 5_000;

/**
 * How many tasks may wait in a queue (pending, scheduled, retrying). A submit touches one shard, so each shard takes its even part
 * without a look at the others; past that the whole queue is counted, and the shard takes more while the whole has room. So one
 * shard that much is routed to never has submits refused while the queue has room, and the others still take their own parts.
 */
export class DepthLimit {
  private readonly connection: Connection;
  private readonly layout: QueueLayout;
  private readonly limit: number;
  private line: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, layout: QueueLayout, limit: number) {
    this.connection = connection;
    this.layout = layout;
    this.limit = limit;
  }

  /** The most that may wait in any one shard without a look at the others; -1 for no limit. */
  get part(): number {
    return this.limit > 0 ? Math.floor(this.limit / this.layout.shards) : -1;
  }

  /**
   * Has `send` try once more with what this shard may hold, or throws `queue_full` where the whole queue is full. One after the
   * other, so that this process does not spend the same room twice.
   */
  withRoom<Answer>(shard: ShardLayout, send: (most: number) => Promise<Answer>): Promise<Answer> {
    const turn = this.line.then(async () => {
      const depths = await Promise.all(this.layout.shardList.map(({ keys }) => this.depth(keys.counts)));
      const room = this.limit - depths.reduce((sum, depth) => sum + depth, 0);
      if (room <= 0) throw this.full();
      return send((depths[shard.index] ?? 0) + room);
    });
    this.line = turn.catch(() => {});
    return turn;
  }

  full(): GalleyError {
    return new GalleyError(
      'queue_full',
      `queue ${this.layout.queue} holds the ${this.limit} waiting tasks of its depth limit; this one was not taken`,
      { retryAfterMs: QUEUE_FULL_RETRY_MS },
    );
  }

  private async depth(counts: string): Promise<number> {
    const waiting = await this.connection.client.hmget(counts, 'pending', 'scheduled', 'retrying');
    return waiting.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }
}
