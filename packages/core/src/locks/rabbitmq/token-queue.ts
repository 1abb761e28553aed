import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from 'amqplib';
import { type Broker, closeQuietly, NOT_FOUND, RESOURCE_LOCKED, replyCode } from './broker.ts';

const SEED_RETRY_MS = 25;
const FIRST_VERSION_WITH_LIMIT = 4;

export const tokenQueueOf = (name: string): string => `galley.lock.${name}`;
/** Declared exclusively by the one that puts the token in. */
const seedingOf = (name: string): string => `galley.lock-seeding.${name}`;
/** An exchange whose existence says that the token has been put in. */
const seededOf = (name: string): string => `galley.lock-seeded.${name}`;

/**
 * The queue of a lock, with exactly one message for good: whoever holds it unacknowledged holds the lock. Two tokens would be two
 * holders, and none would be a lock that nobody can take, so it is put in under mutual exclusion (an exclusive queue, which goes with
 * its connection), and marked only once the broker has confirmed it. Nobody takes a token before the mark is there, so a queue without
 * one is emptied and filled anew.
 */
export class TokenQueues {
  readonly #broker: Broker;
  readonly #ready = new Map<string, Promise<void>>();
  readonly #known = new Set<string>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** Resolves when the lock's queue has its token; asks the broker once for each name. */
  ensure(name: string): Promise<void> {
    const known = this.#ready.get(name);
    if (known !== undefined) return known;
    const ready = this.#ensure(name);
    this.#ready.set(name, ready);
    ready.then(
      () => this.#known.add(name),
      () => this.#ready.delete(name),
    );
    return ready;
  }

  /** Whether `ensure` has nothing left to do. */
  isReady(name: string): boolean {
    return this.#known.has(name);
  }

  /** For when the queue turned out to be gone. */
  forget(name: string): void {
    this.#known.delete(name);
    this.#ready.delete(name);
  }

  async #ensure(name: string): Promise<void> {
    while (!(await this.#isSeeded(name))) {
      if (await this.#seed(name)) return;
      await delay(SEED_RETRY_MS);
    }
  }

  async #isSeeded(name: string): Promise<boolean> {
    return (await this.#exists((channel) => channel.checkExchange(seededOf(name)))) && (await this.#queueExists(name));
  }

  #queueExists(name: string): Promise<boolean> {
    return this.#exists((channel) => channel.checkQueue(tokenQueueOf(name)));
  }

  async #exists(check: (channel: Channel) => Promise<unknown>): Promise<boolean> {
    try {
      await this.#broker.onChannel(check);
      return true;
    } catch (error) {
      if (replyCode(error) === NOT_FOUND) return false;
      throw error;
    }
  }

  /** False where another is at it. */
  async #seed(name: string): Promise<boolean> {
    const guard = await this.#broker.channel();
    try {
      await guard.assertQueue(seedingOf(name), { exclusive: true, durable: false });
    } catch (error) {
      await closeQuietly(guard);
      if (replyCode(error) === RESOURCE_LOCKED) return false;
      throw error;
    }
    try {
      if (!(await this.#isSeeded(name))) await this.#putToken(name);
      return true;
    } finally {
      await guard.deleteQueue(seedingOf(name)).catch(() => undefined);
      await closeQuietly(guard);
    }
  }

  async #putToken(name: string): Promise<void> {
    const channel = await this.#broker.confirmChannel();
    try {
      // The queue was deleted by hand: what the mark says is no longer so.
      await channel.deleteExchange(seededOf(name));
      const version = Number.parseInt(String(channel.connection.serverProperties.version), 10);
      const unlimited = version >= FIRST_VERSION_WITH_LIMIT ? { 'x-delivery-limit': -1 } : {};
      await channel.assertQueue(tokenQueueOf(name), { durable: true, arguments: { 'x-queue-type': 'quorum', ...unlimited } });
      await channel.purgeQueue(tokenQueueOf(name));
      channel.sendToQueue(tokenQueueOf(name), Buffer.from('token'), { persistent: true });
      await channel.waitForConfirms();
      await channel.assertExchange(seededOf(name), 'direct', { durable: true });
    } finally {
      await closeQuietly(channel);
    }
  }
}
