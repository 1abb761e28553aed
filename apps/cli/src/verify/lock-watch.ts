import { type Connection, LOCK_KEYS_PATTERN, masterNodes, type QueueLayout, redisNow, type ShardLayout } from '@galley/core';

/** Running tasks of a shard that one look reads; workers rarely hold more. */
const TASKS_PER_SHARD = 500;
const KEYS_PER_SCAN = 500;
/** The reaper's period, and what it may hold back after a gap on top of a third of the lease. */
const REAPER_MS = 5_000;
/** Redis's clock moves between two commands of ours. */
const CLOCK_SLACK_MS = 10;

export interface WatchedQueue {
  readonly layout: QueueLayout;
  /** Milliseconds. */
  readonly leaseMs: number;
}

/** What was seen of one shard, over all looks. */
export interface ShardSight {
  readonly shard: string;
  mostRunning: number;
  mostLocks: number;
  leastTtlMs: number | null;
  mostTtlMs: number | null;
}

/** What was seen of one queue, over all looks. */
export interface QueueSight {
  readonly shards: readonly ShardSight[];
  looks: number;
  /** Looks that saw something run. */
  busyLooks: number;
  /** Looks that saw something run and something wait. */
  backlogLooks: number;
  /** Running tasks, summed over the looks. */
  running: number;
  locks: number;
  mostRunning: number;
  /** TTLs read. */
  ttls: number;
  /** Sentences about contradictions between lock keys and running tasks. */
  readonly contradictions: Set<string>;
  /** Sentences about TTLs outside (0, lease]. */
  readonly badTtls: Set<string>;
}

interface Running {
  readonly id: string;
  /** Milliseconds of Redis's clock. */
  readonly expiry: number;
  readonly ttlMs: number;
}

/** Looks at lock keys and running tasks again and again, as an operator would by hand. Writes nothing. */
export class LockWatch {
  readonly sights = new Map<string, QueueSight>();
  private readonly connection: Connection;
  private readonly queues: readonly WatchedQueue[];

  constructor(connection: Connection, queues: readonly WatchedQueue[]) {
    this.connection = connection;
    this.queues = queues;
    for (const { layout } of queues) this.sights.set(layout.queue, newSight(layout));
  }

  /** One look at every queue: running tasks, their lock keys and TTLs. */
  async look(): Promise<void> {
    await Promise.all(this.queues.map((queue) => this.lookAt(queue)));
  }

  private async lookAt(queue: WatchedQueue): Promise<void> {
    const sight = this.sightOf(queue);
    const perShard = await Promise.all(queue.layout.shardList.map((shard) => this.lookAtShard(queue, shard, sight)));
    const running = perShard.reduce((sum, shard) => sum + shard.running, 0);
    sight.looks++;
    sight.running += running;
    sight.locks += perShard.reduce((sum, shard) => sum + shard.locks, 0);
    sight.mostRunning = Math.max(sight.mostRunning, running);
    if (running > 0) sight.busyLooks++;
    if (running > 0 && perShard.some((shard) => shard.waiting > 0)) sight.backlogLooks++;
  }

  private async lookAtShard(queue: WatchedQueue, shard: ShardLayout, sight: QueueSight) {
    const { client } = this.connection;
    const [now, entries, waiting] = await Promise.all([
      redisNow(this.connection),
      client.zrange(shard.keys.processing, '0', String(TASKS_PER_SHARD - 1), 'WITHSCORES'),
      // Those held back by a concurrency key wait too, and stand in no line.
      client.hget(shard.keys.counts, 'pending'),
    ]);
    const tasks = await this.readTtls(shard, entries);
    const held = tasks.filter((task) => task.expiry > now);
    const own = sight.shards[shard.index];
    const locks = tasks.filter((task) => task.ttlMs !== GONE).length;
    if (own !== undefined) {
      own.mostRunning = Math.max(own.mostRunning, held.length);
      own.mostLocks = Math.max(own.mostLocks, locks);
    }
    if (queue.layout.lockKeys) {
      for (const task of tasks) this.noteTtl(queue, shard, task.id, task.ttlMs);
      const suspects = tasks.filter((task) => task.ttlMs === GONE);
      await Promise.all(suspects.map((task) => this.examine(queue, shard, task.id)));
    }
    return { running: held.length, locks, waiting: Number(waiting ?? 0) };
  }

  private async readTtls(shard: ShardLayout, entries: readonly string[]): Promise<Running[]> {
    const pairs = entries.flatMap((id, at) => (at % 2 === 0 ? [{ id, expiry: Number(entries[at + 1]) }] : []));
    const ttls = await Promise.all(pairs.map(({ id }) => this.connection.client.pttl(shard.keys.locks + id)));
    return pairs.map((pair, index) => ({ ...pair, ttlMs: ttls[index] ?? GONE }));
  }

  /** Every lock key there is, found as `redis-cli --scan` would, each with its TTL and the task that it stands for. */
  async scan(): Promise<void> {
    for (const node of masterNodes(this.connection)) {
      let cursor = '0';
      do {
        const [next, keys] = await node.scan(cursor, 'MATCH', LOCK_KEYS_PATTERN, 'COUNT', KEYS_PER_SCAN);
        await Promise.all(keys.map((key) => this.seeKey(key)));
        cursor = next;
      } while (cursor !== '0');
    }
  }

  private async seeKey(key: string): Promise<void> {
    for (const queue of this.queues) {
      const shard = queue.layout.shardList.find((one) => key.startsWith(one.keys.locks));
      if (shard === undefined) continue;
      const id = key.slice(shard.keys.locks.length);
      this.noteTtl(queue, shard, id, await this.connection.client.pttl(key));
      if ((await this.connection.client.zscore(shard.keys.processing, id)) === null) await this.examine(queue, shard, id);
    }
  }

  private noteTtl(queue: WatchedQueue, shard: ShardLayout, id: string, ttlMs: number): void {
    // Between two commands of ours its run may have ended; 0 is the millisecond in which it goes.
    if (ttlMs === GONE || ttlMs === 0) return;
    const sight = this.sightOf(queue);
    const own = sight.shards[shard.index];
    sight.ttls++;
    if (ttlMs < 0) sight.badTtls.add(`the lock key of ${id} has no TTL`);
    else if (ttlMs > queue.leaseMs)
      sight.badTtls.add(`the lock key of ${id} has a TTL of ${ttlMs} ms, past the lease of ${queue.leaseMs} ms`);
    if (own === undefined) return;
    own.leastTtlMs = Math.min(own.leastTtlMs ?? ttlMs, ttlMs);
    own.mostTtlMs = Math.max(own.mostTtlMs ?? ttlMs, ttlMs);
  }

  /** Reads a task's two places in one step, since between two commands of ours its run may have ended. */
  private async examine(queue: WatchedQueue, shard: ShardLayout, id: string): Promise<void> {
    const reply = await this.connection.client
      .multi()
      .zscore(shard.keys.processing, id)
      .pttl(shard.keys.locks + id)
      .exec();
    const [score, ttl] = (reply ?? []).map(([error, value]) => {
      if (error !== null) throw error;
      return value;
    });
    const fault = contradictionOf({
      id,
      expiry: score === null || score === undefined ? null : Number(score),
      ttlMs: Number(ttl),
      now: await redisNow(this.connection),
      leaseMs: queue.leaseMs,
    });
    if (fault !== null) this.sightOf(queue).contradictions.add(fault);
  }

  private sightOf({ layout }: WatchedQueue): QueueSight {
    const sight = this.sights.get(layout.queue);
    if (sight === undefined) throw new Error(`queue ${layout.queue} is not watched`);
    return sight;
  }
}

/** PTTL's answer for a key that is not there. */
const GONE = -2;

/** A task's two places, read in one step. `expiry`: of its lease entry, null without one; `now`: read after them. */
export interface Places {
  readonly id: string;
  readonly expiry: number | null;
  readonly ttlMs: number;
  readonly now: number;
  readonly leaseMs: number;
}

/** What is wrong between a lease entry and a lock key; null where nothing is. */
export function contradictionOf({ id, expiry, ttlMs, now, leaseMs }: Places): string | null {
  if (expiry === null) return ttlMs === GONE ? null : `${id} has a lock key and is not running`;
  if (ttlMs !== GONE) return null;
  if (expiry > now + CLOCK_SLACK_MS) return `${id} is running and has no lock key`;
  const late = now - expiry - leaseMs / 3;
  return late > REAPER_MS ? `the lease of ${id} ran out ${Math.round((now - expiry) / 1_000)} s ago and nobody took the task back` : null;
}

function newSight(layout: QueueLayout): QueueSight {
  return {
    shards: layout.shardList.map(({ name }) => ({ shard: name, mostRunning: 0, mostLocks: 0, leastTtlMs: null, mostTtlMs: null })),
    looks: 0,
    busyLooks: 0,
    backlogLooks: 0,
    running: 0,
    locks: 0,
    mostRunning: 0,
    ttls: 0,
    contradictions: new Set(),
    badTtls: new Set(),
  };
}
