import type { Channel, Message } from 'amqplib';
import { closeQuietly } from './broker.ts';
import { tokenQueueOf } from './token-queue.ts';

/** The one message of a lock, held unacknowledged on a channel of its own: if that ends, the broker gives it to the next by itself. */
export class Token {
  readonly name: string;
  readonly holder: string;
  /** Rises with every delivery, whoever gets it. */
  readonly fence: number;
  /** Acquisitions of the holder. */
  readonly ids = new Set<string>();
  readonly #channel: Channel;
  readonly #message: Message;
  readonly #lost = new AbortController();
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #expiresAt = 0;
  #ended = false;

  constructor(held: { name: string; holder: string; channel: Channel; message: Message; onEnd: () => void }) {
    this.name = held.name;
    this.holder = held.holder;
    this.#channel = held.channel;
    this.#message = held.message;
    this.#onEnd = held.onEnd;
    this.fence = deliveriesOf(held.message) + 1;
    held.channel.on('close', this.#lose);
    held.channel.on('error', this.#lose);
  }

  /** Fires when it is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Milliseconds since the epoch. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** As `keepFor`, unless it is kept for longer already. */
  keepLonger(ttlMs: number, now: number): void {
    if (now + ttlMs > this.#expiresAt) this.keepFor(ttlMs, now);
  }

  /** RabbitMQ has no TTL for what is unacknowledged, so the holder itself gives it back then. */
  keepFor(ttlMs: number, now: number): void {
    this.#expiresAt = now + ttlMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#lose();
      void this.#giveBack();
    }, ttlMs).unref();
  }

  /** Whether the broker still knows this channel, and so this token as held. */
  async isKnown(): Promise<boolean> {
    if (this.#ended) return false;
    try {
      await this.#channel.checkQueue(tokenQueueOf(this.name));
      return !this.#ended;
    } catch {
      this.#lose();
      return false;
    }
  }

  /** Gives it back; false where it was lost before. */
  async release(): Promise<boolean> {
    if (this.#ended) return false;
    this.#end();
    return this.#giveBack();
  }

  /** Requeued in one step: published anew and then acknowledged, it could be there twice, or not at all. */
  async #giveBack(): Promise<boolean> {
    try {
      this.#channel.nack(this.#message, false, true);
      await this.#channel.close();
      return true;
    } catch {
      await closeQuietly(this.#channel);
      return false;
    }
  }

  readonly #lose = (): void => {
    if (this.#ended) return;
    this.#end();
    this.#lost.abort();
  };

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
  }
}

function deliveriesOf({ properties }: Message): number {
  const headers: Record<string, unknown> = properties.headers ?? {};
  // Newer brokers count apart how often it was handed out and how often that failed.
  return Math.max(0, ...['x-delivery-count', 'x-acquired-count'].map((name) => Number(headers[name] ?? 0)));
}
