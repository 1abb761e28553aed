import { randomBytes } from 'node:crypto';
import { GalleyError } from '@galley/contract';
import type { Channel, Message } from 'amqplib';
import { type Clock, systemClock } from '../../clock.ts';
import type { LockAbilities, LockGrant, LockRequest, LockStore, LockView, ReleaseWord, RenewWord } from '../lock-store.ts';
import { Sleeper, unlessAborted } from '../sleep.ts';
import { Broker, closeQuietly, NOT_FOUND, replyCode } from './broker.ts';
import { Token } from './token.ts';
import { TokenQueues, tokenQueueOf } from './token-queue.ts';

export interface RabbitLockStoreOptions {
  /** `amqp://user:password@host:5672/vhost` or `amqps://…`. */
  readonly url: string;
  /** After twice this the broker gives on what a holder held that is frozen or cut off. Whole seconds from 1 to 600, default 5. */
  readonly heartbeatSeconds?: number;
  readonly clock?: Clock;
}

const RECONNECT_MS = 200;
/** AMQP has 16 bits for it; past this nobody would call it a sign of life. */
const MOST_HEARTBEAT_SECONDS = 600;

/**
 * Locks in RabbitMQ: a quorum queue for each name with one message, the token. Holding is having it unacknowledged; the broker hands it
 * on in order of waiting when it is requeued, or when the holder's connection ends. The fence is the count of its deliveries.
 * Each lock that is held or waited for takes a channel of the one connection (2,047 unless the broker allows more).
 */
export class RabbitLockStore implements LockStore {
  readonly title = 'RabbitMQ';
  readonly abilities: LockAbilities = { risingFence: true, fair: true, sharedView: false, list: false, holderAcrossProcesses: false };
  readonly #broker: Broker;
  readonly #queues: TokenQueues;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #process = randomBytes(8).toString('hex');
  /** What this process holds, by name. */
  readonly #tokens = new Map<string, Token>();
  /** By name and holder: whoever waits for it already; the same holder's next acquisition need not stand in line behind it. */
  readonly #waiting = new Map<string, Promise<unknown>>();
  #acquisitions = 0;

  constructor({ url, heartbeatSeconds = 5, clock = systemClock }: RabbitLockStoreOptions) {
    if (!Number.isInteger(heartbeatSeconds) || heartbeatSeconds < 1 || heartbeatSeconds > MOST_HEARTBEAT_SECONDS) {
      throw new GalleyError(
        'invalid_request',
        `heartbeatSeconds is ${heartbeatSeconds}; it takes whole seconds from 1 to ${MOST_HEARTBEAT_SECONDS}`,
      );
    }
    this.#broker = new Broker(url, heartbeatSeconds);
    this.#queues = new TokenQueues(this.#broker);
    this.#clock = clock;
  }

  prepare(name: string): Promise<void> | null {
    return this.#broker.isOpen && this.#queues.isReady(name) ? null : this.#queues.ensure(name).then(() => this.#broker.open());
  }

  async tryAcquire(request: LockRequest): Promise<LockGrant | null> {
    const again = this.#takeAgain(request);
    if (again !== null) return again;
    return this.#onQueue(request.name, async (channel) => {
      const message = await channel.get(tokenQueueOf(request.name));
      if (message !== false) return this.#take(request, channel, message);
      await closeQuietly(channel);
      return null;
    });
  }

  async acquire(request: LockRequest, signal: AbortSignal): Promise<LockGrant> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const key = `${request.holder} ${request.name}`;
    for (;;) {
      either.throwIfAborted();
      const again = this.#takeAgain(request);
      if (again !== null) return again;
      const ahead = this.#waiting.get(key);
      if (ahead !== undefined) {
        await unlessAborted(
          ahead.catch(() => undefined),
          either,
        );
        continue;
      }
      const attempt = this.#waitFor(request, either);
      this.#waiting.set(key, attempt);
      try {
        return await attempt;
      } catch (error) {
        if (either.aborted || !isTrouble(error)) throw error;
        // The broker is away, or took the channel: in line again as soon as it is back.
        await new Sleeper().sleep(RECONNECT_MS, either);
      } finally {
        this.#waiting.delete(key);
      }
    }
  }

  async renew(grant: LockGrant, ttlMs: number): Promise<RenewWord> {
    const token = this.#tokenOf(grant);
    if (token === null || !(await token.isKnown())) return this.#wordForLost(grant.name);
    // Others of the same holder were granted for longer, so only an only one shortens it.
    if (token.ids.size === 1) token.keepFor(ttlMs, this.#clock.now());
    else token.keepLonger(ttlMs, this.#clock.now());
    return 'renewed';
  }

  async release(grant: LockGrant): Promise<ReleaseWord> {
    const token = this.#tokenOf(grant);
    if (token === null) return this.#wordForLost(grant.name);
    token.ids.delete(grant.id);
    if (token.ids.size > 0) return 'kept';
    return (await token.release()) ? 'released' : this.#wordForLost(grant.name);
  }

  /** Only counts are known of what other processes do. */
  async inspect(name: string): Promise<LockView> {
    const unknown = { name, holder: null, count: null, fence: null, expiresAt: null, waiters: null };
    const queue = await this.#lookAt(name);
    const token = this.#tokens.get(name);
    const own = token === undefined ? {} : { holder: token.holder, count: token.ids.size, fence: token.fence, expiresAt: token.expiresAt };
    const held = queue !== null && queue.messageCount === 0;
    // The holder counts as a consumer as long as it has the token.
    return { ...unknown, ...own, held, waiting: Math.max(0, (queue?.consumerCount ?? 0) - (held ? 1 : 0)) };
  }

  list(): Promise<LockView[]> {
    return Promise.reject(
      new GalleyError(
        'not_implemented',
        'AMQP cannot list queues; ask the broker itself: rabbitmqctl list_queues name messages_unacknowledged',
      ),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort(new GalleyError('lock_store_unavailable', 'This store of locks has been closed.'));
    await this.#broker.close();
  }

  /** In line as a consumer with room for one message, until the token comes. */
  async #waitFor(request: LockRequest, signal: AbortSignal): Promise<LockGrant> {
    const { name } = request;
    return unlessAborted(
      this.#onQueue(name, async (channel) => {
        await channel.prefetch(1);
        const consumerTag = `${this.#process}.${++this.#acquisitions}`;
        const giveUp = new AbortController();
        const message = await new Promise<Message>((resolve, reject) => {
          const end = (): void => reject(new Error('the wait has ended'));
          channel.on('close', end);
          channel.on('error', reject);
          giveUp.signal.addEventListener('abort', end, { once: true });
          signal.addEventListener('abort', () => giveUp.abort(), { once: true });
          if (signal.aborted) giveUp.abort();
          const onMessage = (delivered: Message | null): void => {
            if (delivered === null) reject(new Error('the queue of the lock was deleted'));
            else resolve(delivered);
          };
          channel.consume(tokenQueueOf(name), onMessage, { consumerTag }).catch(reject);
        });
        // Otherwise it would be in line for the token that it gives back.
        await channel.cancel(consumerTag);
        signal.throwIfAborted();
        return this.#take(request, channel, message);
      }),
      signal,
    );
  }

  /** Runs on a channel that `act` keeps; when it fails, closing the channel leaves the line and gives back what was delivered on it. */
  async #onQueue<Result>(name: string, act: (channel: Channel) => Promise<Result>): Promise<Result> {
    for (let round = 0; ; round++) {
      await this.#queues.ensure(name);
      const channel = await this.#broker.channel();
      try {
        return await act(channel);
      } catch (error) {
        await closeQuietly(channel);
        if (replyCode(error) !== NOT_FOUND || round > 0) throw error;
        // Somebody deleted the queue since.
        this.#queues.forget(name);
      }
    }
  }

  #take(request: LockRequest, channel: Channel, message: Message): LockGrant {
    const { name, holder, ttlMs } = request;
    const token: Token = new Token({
      name,
      holder,
      channel,
      message,
      onEnd: () => {
        if (this.#tokens.get(name) === token) this.#tokens.delete(name);
      },
    });
    this.#tokens.set(name, token);
    return this.#grant(token, ttlMs);
  }

  #takeAgain({ name, holder, ttlMs }: LockRequest): LockGrant | null {
    const token = this.#tokens.get(name);
    return token?.holder === holder ? this.#grant(token, ttlMs) : null;
  }

  /** The TTL is kept here, so it begins here, however long the broker took. */
  #grant(token: Token, ttlMs: number): LockGrant {
    const startedAt = this.#clock.monotonic();
    const id = `${this.#process}.${++this.#acquisitions}`;
    token.ids.add(id);
    token.keepLonger(ttlMs, this.#clock.now());
    return { name: token.name, holder: token.holder, id, fence: token.fence, count: token.ids.size, startedAt, lost: token.lost };
  }

  #tokenOf({ name, id }: LockGrant): Token | null {
    const token = this.#tokens.get(name);
    return token?.ids.has(id) === true ? token : null;
  }

  async #wordForLost(name: string): Promise<'expired' | 'taken'> {
    const queue = await this.#lookAt(name);
    return queue !== null && queue.messageCount === 0 ? 'taken' : 'expired';
  }

  async #lookAt(name: string): Promise<{ messageCount: number; consumerCount: number } | null> {
    try {
      return await this.#broker.onChannel((channel) => channel.checkQueue(tokenQueueOf(name)));
    } catch (error) {
      if (replyCode(error) === NOT_FOUND) return null;
      throw error;
    }
  }
}

/** Whether waiting may go on after it: nothing that the caller did wrong. */
function isTrouble(error: unknown): boolean {
  return !(error instanceof GalleyError) || error.code === 'lock_store_unavailable';
}
