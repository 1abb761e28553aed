import { randomBytes } from 'node:crypto';
import { GalleyError } from '@galley/contract';
import { type Clock, type Random, systemClock } from '../../clock.ts';
import type { Connection } from '../../redis/connection.ts';
import type { AcquireLockReply } from '../../scripts/locks/acquire.ts';
import type { LockAbilities, LockGrant, LockRequest, LockStore, LockView, ReleaseWord, RenewWord } from '../lock-store.ts';
import { Sleeper, unlessAborted } from '../sleep.ts';
import { LockServer } from './lock-server.ts';
import { majorityView } from './majority-view.ts';
import { heldNames } from './redis-lock-store.ts';

export interface MajorityLockStoreOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** How long one server may take to answer before it counts as away, milliseconds; default 250, and never more than a fifth of a TTL. */
  readonly serverTimeoutMs?: number;
  /** As in `RedisLockStoreOptions`. */
  readonly aliveMs?: number;
}

const SPLIT_RETRY_MS = 40;

interface Votes {
  /** Null without a majority. */
  readonly grant: LockGrant | null;
  readonly answers: number;
  readonly granted: number;
  /** Those that did not grant it, or did not answer. */
  readonly refusing: readonly LockServer[];
  /** When the first of the grants to others ends. */
  readonly leftMs: number;
}

/**
 * Locks in several Redis servers that know nothing of each other, held by whoever a majority of them granted it to. It outlives the loss
 * of a minority, where replication to one standby could forget a lock. Its limits: there is no fence, since no one server counts all
 * grants; it trusts that clocks run about equally fast; a server that comes back without its data must stay away for the longest TTL
 * in use; and each verb costs a round trip to every server.
 */
export class MajorityLockStore implements LockStore {
  readonly title = 'The majority of the Redis servers';
  readonly abilities: LockAbilities = { risingFence: false, fair: false, sharedView: true, list: true, holderAcrossProcesses: true };
  readonly #servers: readonly LockServer[];
  readonly #quorum: number;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #serverTimeoutMs: number;

  /** The connections stay the caller's to close. An odd number from 3 up: an even one outlives no more losses than one less. */
  constructor(connections: readonly Connection[], options: MajorityLockStoreOptions = {}) {
    if (connections.length < 3 || connections.length % 2 === 0) {
      throw new GalleyError('invalid_request', `a majority needs an odd number of servers from 3 up, not ${connections.length}`);
    }
    const process = randomBytes(8).toString('hex');
    const alive = options.aliveMs === undefined ? {} : { aliveMs: options.aliveMs };
    this.#servers = connections.map((connection) => new LockServer(connection, { process, ...alive }));
    this.#quorum = (connections.length + 1) / 2;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#serverTimeoutMs = options.serverTimeoutMs ?? 250;
  }

  async tryAcquire(request: LockRequest): Promise<LockGrant | null> {
    const id = this.#newId();
    const votes = await this.#vote(request, id, null);
    if (votes.grant !== null) return votes.grant;
    await this.#giveUp(request.name, id);
    if (votes.answers >= this.#quorum) return null;
    throw this.#tooFew(votes.answers);
  }

  #tooFew(answers: number): GalleyError {
    return new GalleyError('lock_store_unavailable', `Only ${answers} of ${this.#servers.length} Redis servers answered.`);
  }

  /** What the servers answered that did; throws where they are no majority, who alone can say that a lock is free. */
  #heard<Answer>(answers: readonly (Answer | null)[]): Answer[] {
    const heard = answers.filter((answer) => answer !== null);
    if (heard.length < this.#quorum) throw this.#tooFew(heard.length);
    return heard;
  }

  async acquire(request: LockRequest, signal: AbortSignal): Promise<LockGrant> {
    const id = this.#newId();
    const sleeper = new Sleeper();
    const listening = this.#servers.map((server) => server.listen(id, sleeper.wake));
    // The same place in every line, so that all servers wake the same one and votes are not split.
    const ticket = (this.#clock.now() * 1_000).toFixed(0);
    const inTurn = { ...request, fair: true };
    try {
      await unlessAborted(Promise.all(listening.map((stop) => this.#within(stop, this.#serverTimeoutMs))), signal);
      for (;;) {
        signal.throwIfAborted();
        const { grant, granted, refusing, leftMs } = await unlessAborted(this.#vote(inTurn, id, ticket), signal);
        if (grant !== null) {
          // Out of the lines of those that did not grant it.
          await this.#ask(refusing, (server) => server.leave(request.name, id));
          return grant;
        }
        if (granted > 0) await this.#giveUp(request.name, id);
        const pauseMs = granted > 0 ? this.#random() * SPLIT_RETRY_MS : this.#nextTryMs(leftMs, request.ttlMs);
        await sleeper.sleep(pauseMs, signal);
      }
    } catch (error) {
      await this.#giveUp(request.name, id);
      throw error;
    } finally {
      for (const stop of listening) stop.then((end) => end()).catch(() => undefined);
    }
  }

  async renew({ name, id }: LockGrant, ttlMs: number): Promise<RenewWord> {
    const words = await this.#each((server) => server.renew(name, id, ttlMs));
    return this.#isMajority(words, 'renewed') ? 'renewed' : lostWord(words);
  }

  async release({ name, id }: LockGrant): Promise<ReleaseWord> {
    const words = await this.#each((server) => server.leave(name, id));
    if (this.#isMajority(words, 'released')) return 'released';
    return this.#isMajority(words, 'kept') ? 'kept' : lostWord(words);
  }

  async inspect(name: string): Promise<LockView> {
    const seen = this.#heard(await this.#each((server) => server.inspect(name)));
    return majorityView(name, seen, this.#quorum, this.#clock);
  }

  async list(pattern: string, limit: number): Promise<LockView[]> {
    const found = this.#heard(await this.#each((server) => heldNames(server.connection, pattern, limit)));
    const names = [...new Set(found.flat())].toSorted().slice(0, limit);
    const views = await Promise.all(names.map((name) => this.inspect(name)));
    return views.filter((view) => view.held);
  }

  close(): Promise<void> {
    for (const server of this.#servers) server.close();
    return Promise.resolve();
  }

  #nextTryMs(leftMs: number, ttlMs: number): number {
    return this.#servers[0]?.nextTryMs(leftMs, ttlMs) ?? ttlMs;
  }

  #newId(): string {
    return this.#servers[0]?.newId() ?? '';
  }

  async #vote(request: LockRequest, id: string, ticket: string | null): Promise<Votes> {
    const startedAt = this.#clock.monotonic();
    const limitMs = Math.min(this.#serverTimeoutMs, request.ttlMs / 5);
    const votes = await this.#each((server) => (ticket === null ? server.take(request, id) : server.wait(request, id, ticket)), limitMs);
    const answers = votes.filter((vote): vote is AcquireLockReply => vote !== null);
    const counts = answers.flatMap((vote) => (vote.word === 'granted' ? [vote.count] : []));
    const lefts = answers.flatMap((vote) => (vote.word === 'held' ? [vote.leftMs] : []));
    const { name, holder } = request;
    const isIn = counts.length >= this.#quorum;
    return {
      grant: isIn ? { name, holder, id, fence: null, count: Math.max(...counts), startedAt } : null,
      answers: answers.length,
      granted: counts.length,
      refusing: this.#servers.filter((_, index) => votes[index]?.word !== 'granted'),
      leftMs: lefts.length === 0 ? 0 : Math.min(...lefts),
    };
  }

  /** Gives back what a minority granted, or may still grant: on each connection this comes behind what is under way. */
  async #giveUp(name: string, id: string): Promise<void> {
    await this.#each((server) => server.leave(name, id));
  }

  #each<Answer>(ask: (server: LockServer) => Promise<Answer>, limitMs = this.#serverTimeoutMs): Promise<(Answer | null)[]> {
    return this.#ask(this.#servers, ask, limitMs);
  }

  /** Asks these servers at once. Null for one that is away, fails, or takes too long. */
  #ask<Answer>(
    servers: readonly LockServer[],
    ask: (server: LockServer) => Promise<Answer>,
    limitMs = this.#serverTimeoutMs,
  ): Promise<(Answer | null)[]> {
    return Promise.all(servers.map((server) => this.#within(ask(server), limitMs)));
  }

  #within<Answer>(promise: Promise<Answer>, milliseconds: number): Promise<Answer | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds, null);
      promise.then(resolve, () => resolve(null)).finally(() => clearTimeout(timer));
    });
  }

  #isMajority(words: readonly unknown[], word: string): boolean {
    return words.filter((one) => one === word).length >= this.#quorum;
  }
}

function lostWord(words: readonly (RenewWord | ReleaseWord | null)[]): 'expired' | 'taken' {
  const count = (word: string): number => words.filter((one) => one === word).length;
  return count('taken') > count('expired') ? 'taken' : 'expired';
}
