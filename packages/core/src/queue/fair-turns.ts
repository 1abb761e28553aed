import type { Connection } from '../redis/connection.ts';
import { turnKey, turnsKey } from '../redis/keys.ts';
import { TURNS_PER_PRIORITY } from '../rules/order.ts';
import { parseReserve, reserveScript } from '../scripts/reserve.ts';
import type { QueueLayout } from './layout.ts';

/** How long a user's last turn is remembered; a user with none is served as one who comes new. */
const TURN_MS = 7 * 86_400_000;

interface Waiting {
  readonly resolve: (turn: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns under fair order. They are kept per user and priority for the whole queue, in the user's home shard; the virtual
 * time is the best turn in line over all shards. Turns asked for in the same tick are reserved in one call.
 */
export class FairTurns {
  private readonly connection: Connection;
  private readonly layout: QueueLayout;
  private readonly waiting = new Map<string, { user: string; priority: number; list: Waiting[] }>();

  constructor(connection: Connection, layout: QueueLayout) {
    this.connection = connection;
    this.layout = layout;
  }

  next(user: string, priority: number): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) queueMicrotask(() => this.flush());
      const name = `${priority}:${user}`;
      const group = this.waiting.get(name);
      if (group === undefined) this.waiting.set(name, { user, priority, list: [{ resolve, reject }] });
      else group.list.push({ resolve, reject });
    });
  }

  private flush(): void {
    const groups = [...this.waiting.values()];
    this.waiting.clear();
    const byPriority = new Map<number, Promise<number>>();
    for (const { user, priority, list } of groups) {
      let virtualTime = byPriority.get(priority);
      if (virtualTime === undefined) byPriority.set(priority, (virtualTime = this.virtualTime(priority)));
      virtualTime
        .then((time) => this.reserve(user, priority, list.length, time))
        .then((first) => list.forEach((entry, index) => entry.resolve(first + index)))
        .catch((error: unknown) => {
          for (const entry of list) entry.reject(error);
        });
    }
  }

  private async reserve(user: string, priority: number, count: number, virtualTime: number): Promise<number> {
    const { keys } = this.layout.shardOfKey(`user:${user}`);
    const names = { base: keys.base, turn: turnKey(keys.base, priority, user), turns: turnsKey(keys.base) };
    const values = { priority: String(priority), count, virtual_time: virtualTime, turn_ms: TURN_MS };
    return parseReserve(await this.connection.run(reserveScript, names, values));
  }

  /** The turn at the head of the line; behind an empty line, the turn after the last that was ever given. */
  private async virtualTime(priority: number): Promise<number> {
    const from = priority * TURNS_PER_PRIORITY;
    const heads = await Promise.all(
      this.layout.shardList.map(({ keys }) =>
        this.connection.client.zrange(keys.pending, from, `(${from + TURNS_PER_PRIORITY}`, 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES'),
      ),
    );
    const turns = heads.flatMap(([, score]) => (score === undefined ? [] : [Number(score) - from]));
    if (turns.length > 0) return Math.min(...turns);
    const given = await Promise.all(
      this.layout.shardList.map(({ keys }) => this.connection.client.hget(turnsKey(keys.base), String(priority))),
    );
    return Math.max(0, ...given.map(Number));
  }
}
