import { type Clock, systemClock } from '../clock.ts';
import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { timelineMs } from '../queue/settings.ts';
import type { Connection } from '../redis/connection.ts';
import { recordsKey, sequenceKey } from '../redis/keys.ts';
import { RECORDS_PER_HASH } from '../rules/ids.ts';
import { parseScrub, scrubScript } from '../scripts/scrub.ts';

const STEP_RECORDS = 100;
/** How many absent buckets one step may pass over. */
const STEP_BUCKETS = 50;

interface Place {
  bucket: number;
  /** Children's bucket within it; null for the tasks of their own. */
  child: number | null;
  cursor: string;
  /** Monotonic time until which the shard, walked through, is left alone. */
  restsUntil: number;
}

export interface ScrubberOptions {
  readonly clock?: Clock;
  /** Milliseconds between two walks through a shard. */
  readonly restMs?: number;
}

/**
 * Walks all records of a queue, a bounded step of each shard at a time, and lets the scrub script mend contradictions. The
 * place is kept in this process alone: several scrubbers side by side only look twice.
 */
export class Scrubber {
  private readonly connection: Connection;
  private readonly queue: Queue;
  private readonly clock: Clock;
  private readonly restMs: number;
  private readonly places = new Map<ShardLayout, Place>();

  constructor(connection: Connection, queue: Queue, { clock = systemClock, restMs = 0 }: ScrubberOptions = {}) {
    this.connection = connection;
    this.queue = queue;
    this.clock = clock;
    this.restMs = restMs;
  }

  /** One step of every shard; how many records were mended. */
  async step(): Promise<number> {
    const counts = await Promise.all(this.queue.layout.shardList.map((shard) => this.stepShard(shard)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  private async stepShard(shard: ShardLayout): Promise<number> {
    const place = await this.nextPlace(shard);
    if (place === null) return 0;
    const bucket = bucketName(place);
    const reply = parseScrub(
      await this.connection.run(scrubScript, shard.keys, {
        sequence_at: shard.sequenceAt,
        bucket,
        cursor: place.cursor,
        limit: STEP_RECORDS,
        lease_ms: this.queue.settings.leaseMs,
        lock_keys: this.queue.layout.lockKeys ? 1 : 0,
        timeline_ms: timelineMs(this.queue.settings),
      }),
    );
    place.cursor = reply.cursor;
    if (reply.cursor === '0') place.child = place.child === null ? 0 : place.child + 1;
    return reply.mended;
  }

  /** Where to go on: in the bucket under way, else in the next that exists; null where the shard is empty or rests. */
  private async nextPlace(shard: ShardLayout): Promise<Place | null> {
    const known = this.places.get(shard);
    const place = known ?? { bucket: 0, child: null, cursor: '0', restsUntil: 0 };
    if (known === undefined) this.places.set(shard, place);
    if (place.cursor !== '0') return place;
    const now = this.clock.monotonic();
    if (now < place.restsUntil) return null;
    const last = Math.floor(Number((await this.connection.client.get(sequenceKey(shard.keys.base))) ?? 0) / RECORDS_PER_HASH);
    // Each bucket and its children's once, in an empty shard; not more than a step in a large one.
    for (let looked = 0; looked < Math.min(STEP_BUCKETS, 2 * (last + 1)); looked++) {
      if (place.bucket > last) {
        Object.assign(place, { bucket: 0, child: null, restsUntil: now + this.restMs });
        if (this.restMs > 0) return null;
      }
      if ((await this.connection.client.exists(recordsKey(shard.keys.base, bucketName(place)))) === 1) return place;
      // Buckets of children follow each other without gaps, so the first that is missing ends them.
      Object.assign(place, place.child === null ? { child: 0 } : { bucket: place.bucket + 1, child: null });
    }
    return null;
  }
}

function bucketName(place: Place): string {
  return place.child === null ? String(place.bucket) : `${place.bucket}:${place.child}`;
}
