import { GalleyError } from '@galley/contract';
import type { Connection, Lifecycle } from '@galley/core';

const PING_PERIOD_MS = 500;
/**
 * A Redis that has left a ping unanswered over this many beats is away, though its connection stands. Beats and not time: when this
 * very process was busy for seconds, the answer has been waiting for it.
 */
const SILENT_BEATS = 4;

/**
 * Whether Redis answers. A connection alone does not tell: a frozen server keeps its sockets open, and commands sent while it
 * is away wait in the client. So requests run `during` its presence and are refused the moment it goes.
 */
export class RedisWatch implements Lifecycle {
  private readonly connection: Connection;
  private readonly waiting = new Set<(error: GalleyError) => void>();
  private timer: NodeJS.Timeout | null = null;
  private stopListening: (() => void) | null = null;
  private pinging = false;
  /** Beats since the ping under way was sent. */
  private unanswered = 0;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  start(): void {
    if (this.timer !== null) return;
    this.stopListening = this.connection.onAvailability((up) => {
      if (!up) this.refuseWaiting();
    });
    this.timer = setInterval(() => this.beat(), PING_PERIOD_MS);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    this.stopListening?.();
    this.refuseWaiting();
  }

  isUp(): boolean {
    return this.connection.isUp() && !this.isSilent();
  }

  /**
   * The outcome of `work`, or a refusal as soon as Redis is away. Commands already sent may still take effect when it is back.
   * @throws GalleyError `redis_unavailable`
   */
  during<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (!this.isUp()) return Promise.reject(redisAway());
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      work().then(
        (answer) => {
          this.waiting.delete(reject);
          resolve(answer);
        },
        (error: unknown) => {
          this.waiting.delete(reject);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  private isSilent(): boolean {
    return this.unanswered >= SILENT_BEATS;
  }

  private beat(): void {
    if (this.pinging) {
      this.unanswered++;
      if (this.isSilent()) this.refuseWaiting();
      return;
    }
    if (!this.connection.isUp()) return;
    this.pinging = true;
    const answered = (): void => {
      this.pinging = false;
      this.unanswered = 0;
    };
    // A ping that fails says as much as one that is answered: the connection's own events tell the rest.
    this.connection.client.ping().then(answered, answered);
  }

  private refuseWaiting(): void {
    for (const refuse of this.waiting) refuse(redisAway());
    this.waiting.clear();
  }
}

export function redisAway(): GalleyError {
  return new GalleyError('redis_unavailable', 'Redis does not answer, so nothing can be read or taken in', { retryAfterMs: 1_000 });
}
