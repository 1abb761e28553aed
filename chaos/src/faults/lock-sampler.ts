import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@galley/core';
import type { HistoryWriter } from '../history/writer.ts';

export interface SeenLock {
  readonly task: string;
  /** -1: without an end, which must never be. */
  readonly ttlMs: number;
}

/** All lock keys that exist, found as an operator would with redis-cli (docs/redis-keys.md). */
export async function readLocks({ client }: Connection): Promise<SeenLock[]> {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const [next, found] = await client.call('SCAN', cursor, 'MATCH', 'lock:job:*', 'COUNT', '2000').then(scanReply);
    cursor = next;
    keys.push(...found);
  } while (cursor !== '0');
  const ttls = await Promise.all(keys.map((key) => client.pttl(key)));
  // One that went between the two looks is none.
  return keys.flatMap((key, index) =>
    ttls[index] === -2 ? [] : [{ task: key.slice(key.lastIndexOf(':') + 1), ttlMs: ttls[index] ?? -2 }],
  );
}

function scanReply(reply: unknown): [cursor: string, keys: string[]] {
  if (!Array.isArray(reply) || !Array.isArray(reply[1])) throw new Error('SCAN answered something else than a cursor and keys');
  return [String(reply[0]), reply[1].map(String)];
}

/** Looks at the lock keys again and again until it is stopped; not while Redis is away. */
export class LockSampler {
  private readonly connection: Connection;
  private readonly history: HistoryWriter;
  private readonly over = new AbortController();
  private looping: Promise<void> = Promise.resolve();

  constructor(connection: Connection, history: HistoryWriter) {
    this.connection = connection;
    this.history = history;
  }

  start(everyMs: number): void {
    this.looping = this.loop(everyMs);
  }

  /** To be called when Redis is there, for a look that is under way waits for it. */
  async stop(): Promise<void> {
    this.over.abort();
    await this.looping;
  }

  private async loop(everyMs: number): Promise<void> {
    while (!this.over.signal.aborted) {
      if (this.connection.isUp()) for (const lock of await readLocks(this.connection)) this.history.write({ event: 'lock seen', ...lock });
      await delay(everyMs, undefined, { signal: this.over.signal }).catch(() => undefined);
    }
  }
}
