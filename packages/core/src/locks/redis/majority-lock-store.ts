import { randomBytes } from 'node:crypto';
import { GalleyError } from '@galley/contract';
import { type Clock, type Random, systemClock } from '../../clock.ts';
import type { Connection } from '../../redis/connection.ts';
import type { AcquireLockReply } from '../../scripts/locks/acquire.ts';
import type { InspectedLock } from '../../scripts/locks/inspect.ts';
import { checkStoreTime } from '../lock-options.ts';
import type { LockAbilities, LockGrant, LockRequest, LockStore, LockView, ReleaseWord, RenewWord } from '../lock-store.ts';
import { Sleeper, unlessAborted } from '../sleep.ts';
import { LockServer } from './lock-server.ts';
import { majorityView } from './majority-view.ts';
import { heldNames } from './redis-lock-store.ts';
import { settle } from './settle.ts';

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
  #isOpened = false;

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
    checkStoreTime('serverTimeoutMs', this.#serverTimeoutMs);
  }

  prepare(): Promise<void> | null {
    // From then on it is known which of them are away, so that nobody need wait to hear it.
    return this.#isOpened ? null : this.#prepare();
  }

  /** All are waited for, so that the first locks stand on all that live; the dead not for longer than a server may take. */
  async #prepare(): Promise<void> {
    const preparing = this.#servers.map(async (server) => {
      await server.prepare();
      return true;
    });
    await settle(preparing, { limitMs: this.#serverTimeoutMs });
    await settle(preparing, { enough: (ready) => count(ready, true) >= this.#quorum });
    this.#isOpened = true;
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

  /** What the servers answered that did; throws where they are no majority, which alone can say that a lock is free. */
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
      await unlessAborted(this.#listened(listening), signal);
      for (;;) {
        signal.throwIfAborted();
        const { grant, granted, leftMs } = await unlessAborted(this.#vote(inTurn, id, ticket), signal);
        if (grant !== null) return grant;
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
    const words = await this.#ask((server) => server.renew(name, id, ttlMs), this.#decides);
    return count(words, 'renewed') >= this.#quorum ? 'renewed' : lostWord(words);
  }

  async release({ name, id }: LockGrant): Promise<ReleaseWord> {
    const words = await this.#leave(name, id);
    if (count(words, 'released') >= this.#quorum) return 'released';
    return count(words, 'kept') >= this.#quorum ? 'kept' : lostWord(words);
  }

  async inspect(name: string): Promise<LockView> {
    const holder = ({ held }: InspectedLock): string => (held === null ? '' : held.holder);
    const agreed = (seen: readonly (InspectedLock | null)[]): boolean =>
      this.#decides(seen.map((one) => (one === null ? null : holder(one))));
    const seen = this.#heard(await this.#ask((server) => server.inspect(name), agreed));
    return majorityView(name, seen, this.#quorum, this.#clock);
  }

  async list(pattern: string, limit: number): Promise<LockView[]> {
    // Of any two majorities one server is in both, so a majority has heard of each lock that is held.
    const isMajority = (lists: readonly (string[] | null)[]): boolean => lists.filter((names) => names !== null).length >= this.#quorum;
    const found = this.#heard(await this.#ask((server) => heldNames(server.connection, pattern, limit), isMajority));
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
    const { name, holder } = request;
    const startedAt = this.#clock.monotonic();
    const limitMs = Math.min(this.#serverTimeoutMs, request.ttlMs / 5);
    const word = (vote: AcquireLockReply | null): string | null => vote?.word ?? null;
    const asked = this.#servers.map((server) => ({ server, vote: ask(server, () => this.#askFor(server, request, id, ticket)) }));
    const votes = await settle(
      asked.map(({ vote }) => vote),
      { limitMs, enough: (so) => this.#decides(so.map(word)) },
    );
    const answers = votes.filter((vote): vote is AcquireLockReply => vote !== null);
    const counts = answers.flatMap((vote) => (vote.word === 'granted' ? [vote.count] : []));
    const lefts = answers.flatMap((vote) => (vote.word === 'held' ? [vote.leftMs] : []));
    const isIn = counts.length >= this.#quorum;
    // Out of the lines of those that do not grant it, when they say so; a late grant only makes the majority larger.
    if (isIn && ticket !== null) for (const { server, vote } of asked) leaveLine(server, vote, name, id);
    return {
      grant: isIn ? { name, holder, id, fence: null, count: Math.max(...counts), startedAt } : null,
      answers: answers.length,
      granted: counts.length,
      leftMs: lefts.length === 0 ? 0 : Math.min(...lefts),
    };
  }

  #askFor(server: LockServer, request: LockRequest, id: string, ticket: string | null): Promise<AcquireLockReply> {
    return ticket === null ? server.take(request, id) : server.wait(request, id, ticket);
  }

  /** Gives back what a minority granted, or may still grant: on each connection this comes behind what is under way. */
  async #giveUp(name: string, id: string): Promise<void> {
    await this.#leave(name, id);
  }

  #leave(name: string, id: string): Promise<(ReleaseWord | null)[]> {
    return this.#ask((server) => server.leave(name, id), this.#decides);
  }

  /** Until a majority can wake this waiter; of one that is away it is done when that is back. */
  async #listened(listening: readonly Promise<unknown>[]): Promise<void> {
    const done = listening.map(async (one, index) => {
      const isUp = this.#servers[index]?.connection.isUp() === true;
      await one;
      return isUp;
    });
    await settle(done, { limitMs: this.#serverTimeoutMs, enough: (so) => count(so, true) >= this.#quorum });
  }

  /** Whether a majority says the same, so that the others cannot change it. */
  readonly #decides = (words: readonly (string | null)[]): boolean =>
    words.some((word) => word !== null && count(words, word) >= this.#quorum);

  /** Asks all servers at once, until the answers are enough. Null for one that is away, fails, or takes too long. */
  #ask<Answer>(
    act: (server: LockServer) => Promise<Answer>,
    enough: (so: readonly (Answer | null)[]) => boolean,
  ): Promise<(Answer | null)[]> {
    return settle(
      this.#servers.map((server) => ask(server, () => act(server))),
      { limitMs: this.#serverTimeoutMs, enough },
    );
  }
}

/**
 * A server that is known to be away is not asked: it would answer when it is back, and nobody would be there to hear it. What it granted
 * before ends with its TTL, and what it may still grant because its connection was lost on the way is a minority's and ends likewise.
 */
function ask<Answer>(server: LockServer, act: () => Promise<Answer>): Promise<Answer | null> {
  return server.connection.isUp() ? act() : Promise.resolve(null);
}

function leaveLine(server: LockServer, vote: Promise<AcquireLockReply | null>, name: string, id: string): void {
  const leave = async (): Promise<void> => {
    if ((await vote)?.word === 'held') await server.leave(name, id);
  };
  // Its place ends by itself when it stops saying that it lives.
  leave().catch(() => undefined);
}

function count(words: readonly unknown[], word: unknown): number {
  return words.filter((one) => one === word).length;
}

function lostWord(words: readonly (RenewWord | ReleaseWord | null)[]): 'expired' | 'taken' {
  return count(words, 'taken') > count(words, 'expired') ? 'taken' : 'expired';
}
