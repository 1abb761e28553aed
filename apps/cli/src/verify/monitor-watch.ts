import { type Connection, LOCK_KEYS_PATTERN, masterNodes } from '@galley/core';

/** MONITOR costs Redis up to half of its speed, so it never goes on for longer than this. */
export const LONGEST_MONITOR_MS = 10_000;
/** How long it may take to begin. */
const START_LIMIT_MS = 5_000;
/** Commands after which it ends all the same. */
const MOST_COMMANDS = 500_000;

const LOCK_PREFIX = LOCK_KEYS_PATTERN.slice(0, -1);
/** As the operator's `grep -oE 'lock:job:[A-Za-z0-9_-]+'`: queue and shard of a lock key. */
const LOCK_KEY = /^lock:job:([A-Za-z0-9_-]+)-shard-(\d+):/;
/** What takes, renews and drops locks. Chores name the beginning of lock keys on idle shards too, and looks such as ours read them. */
const LOCK_COMMANDS = new Set(['set', 'del', 'unlink']);

type Node = ReturnType<typeof masterNodes>[number];

export interface ShardOfLock {
  readonly queue: string;
  readonly shard: string;
}

/** The shards whose lock keys a command takes, renews or drops, in its order. */
export function locksMoved(command: readonly string[]): ShardOfLock[] {
  if (!LOCK_COMMANDS.has(command[0]?.toLowerCase() ?? '')) return [];
  return command.slice(1).flatMap((argument) => {
    if (!argument.startsWith(LOCK_PREFIX)) return [];
    const [, queue, shard] = LOCK_KEY.exec(argument) ?? [];
    return queue === undefined || shard === undefined ? [] : [{ queue, shard }];
  });
}

/** What MONITOR showed of one queue's lock keys. */
export interface Interleaving {
  /** Shard → how often one of its locks was taken, renewed or dropped. */
  readonly sightings: ReadonlyMap<string, number>;
  /** How often the next one was of another shard. */
  readonly switches: number;
}

export class InterleavingCount {
  private readonly sightings = new Map<string, number>();
  private switches = 0;
  private last: string | null = null;

  add(shard: string): void {
    this.sightings.set(shard, (this.sightings.get(shard) ?? 0) + 1);
    if (this.last !== null && this.last !== shard) this.switches++;
    this.last = shard;
  }

  get result(): Interleaving {
    return { sightings: this.sightings, switches: this.switches };
  }
}

/** Reads MONITOR on every master for a bounded time, and keeps of it only on which shards locks were taken, renewed and dropped. */
export class MonitorWatch {
  private readonly byQueue = new Map<string, InterleavingCount>();
  private readonly monitors: Node[] = [];
  private commands = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @throws what Redis answers where this user may not use MONITOR */
  async start(connection: Connection, forMs: number): Promise<void> {
    try {
      await Promise.all(masterNodes(connection).map((node) => this.startOn(node)));
    } catch (error) {
      this.stop();
      throw error;
    }
    this.timer = setTimeout(() => this.stop(), Math.min(forMs, LONGEST_MONITOR_MS));
  }

  /**
   * Not by ioredis's own `monitor()`: on a busy server the first lines come in one piece with the answer to MONITOR, and each of them is
   * an error to it, which nobody hears there, so that it ends the process. Those few lines are all that is lost.
   */
  private startOn(node: Node): Promise<void> {
    const monitor = node.duplicate({ monitor: true, lazyConnect: false });
    this.monitors.push(monitor);
    monitor.on('monitor', (_time: string, command: string[]) => this.see(command));
    return new Promise((resolve, reject) => {
      let last: Error | null = null;
      const limit = setTimeout(() => reject(last ?? new Error('there was no answer')), START_LIMIT_MS);
      monitor.on('error', (error: Error) => {
        last = error;
      });
      monitor.on('monitoring', () => {
        clearTimeout(limit);
        resolve();
      });
    });
  }

  private see(command: readonly string[]): void {
    if (++this.commands > MOST_COMMANDS) this.stop();
    for (const { queue, shard } of locksMoved(command)) {
      const count = this.byQueue.get(queue) ?? new InterleavingCount();
      this.byQueue.set(queue, count);
      count.add(shard);
    }
  }

  of(queue: string): Interleaving {
    return this.byQueue.get(queue)?.result ?? new InterleavingCount().result;
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const monitor of this.monitors.splice(0)) monitor.disconnect();
  }
}
