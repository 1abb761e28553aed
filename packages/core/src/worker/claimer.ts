import type { Connection } from '../redis/connection.ts';
import { replayKey } from '../redis/keys.ts';
import type { Queue } from '../queue/queue.ts';
import type { ShardLayout } from '../queue/layout.ts';
import { REPLAY_MS, RequestSlots } from '../queue/request-slots.ts';
import { timelineMs } from '../queue/settings.ts';
import { type ClaimReply, claimScript, parseClaim } from '../scripts/claim.ts';

/** A script over 100 claims buys nothing more (FACTS). */
const CLAIM_BATCH = 100;

export interface Claimed {
  readonly queue: Queue;
  readonly shard: ShardLayout;
  readonly reply: ClaimReply;
}

interface Source {
  readonly queue: Queue;
  readonly shard: ShardLayout;
  readonly slots: RequestSlots;
}

interface Head {
  readonly source: Source;
  readonly score: number;
}

/**
 * Strict priority over shards (DESIGN §3): peek the heads of all shards in one round trip, then claim from the best one
 * only while `score ≤ the second-best head`. Ties rotate.
 */
export class Claimer {
  private readonly connection: Connection;
  private readonly worker: string;
  private readonly sources: Source[];
  private turn = 0;

  constructor(connection: Connection, queues: readonly Queue[], worker: string) {
    this.connection = connection;
    this.worker = worker;
    this.sources = queues.flatMap((queue) => queue.layout.shardList.map((shard) => ({ queue, shard, slots: new RequestSlots(worker) })));
  }

  /** Up to `free` of the best tasks there are; null where every line is empty. */
  async claim(free: number, isPaused: (queue: Queue) => boolean): Promise<Claimed | null> {
    const sources = this.sources.filter((source) => !isPaused(source.queue));
    const heads = await this.peek(sources);
    const [best, second] = this.twoBest(heads);
    if (best === undefined) return null;
    const { queue, shard, slots } = best.source;
    const words = await slots.use(({ slot, requestId }) =>
      this.connection.run(
        claimScript,
        { ...shard.keys, replay: replayKey(shard.keys.base, slots.client, slot) },
        {
          sequence_at: shard.sequenceAt,
          request_id: requestId,
          replay_ms: REPLAY_MS,
          worker: this.worker,
          lease_ms: queue.settings.leaseMs,
          limit: Math.min(free, CLAIM_BATCH),
          bound: second === undefined ? '' : String(second.score),
          lock_keys: queue.layout.lockKeys ? 1 : 0,
          timeline_ms: timelineMs(queue.settings),
        },
      ),
    );
    return { queue, shard, reply: parseClaim(words) };
  }

  private async peek(sources: readonly Source[]): Promise<Head[]> {
    const replies = await this.readHeads(sources);
    return sources.flatMap((source, index) => {
      const score = replies[index]?.[1];
      return score === undefined ? [] : [{ source, score: Number(score) }];
    });
  }

  private async readHeads(sources: readonly Source[]): Promise<string[][]> {
    const { client, isCluster } = this.connection;
    // A pipeline must stay on one node; on a cluster plain concurrent calls share each node's connection.
    if (isCluster) return Promise.all(sources.map((source) => client.zrange(source.shard.keys.pending, '0', '0', 'WITHSCORES')));
    const pipeline = client.pipeline();
    for (const source of sources) pipeline.zrange(source.shard.keys.pending, '0', '0', 'WITHSCORES');
    return ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error !== null) throw error;
      return Array.isArray(reply) ? reply.map(String) : [];
    });
  }

  private twoBest(heads: readonly Head[]): [Head | undefined, Head | undefined] {
    const start = heads.length === 0 ? 0 : this.turn++ % heads.length;
    let best: Head | undefined;
    let second: Head | undefined;
    for (let step = 0; step < heads.length; step++) {
      const head = heads[(start + step) % heads.length];
      if (head === undefined) continue;
      if (best === undefined || head.score < best.score) {
        second = best;
        best = head;
      } else if (second === undefined || head.score < second.score) second = head;
    }
    return [best, second];
  }
}
