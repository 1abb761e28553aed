import { setTimeout as delay } from 'node:timers/promises';
import { shardedNames } from '@galley/core';
import { Redis } from 'ioredis';
import { quantile } from '../statistics.ts';
import type { Contender, LockSystem } from './systems.ts';

export interface Contention {
  readonly contenders: number;
  readonly shards: number;
  /** How long each holds the lock. */
  readonly holdMs: number;
  readonly seconds: number;
}

export interface ContentionFigures {
  /** Times that a lock was taken and given back, a second. */
  readonly perSecond: number;
  /** From the call of a release, while others waited for that lock, to the next one's having it. NaN where nobody waited. */
  readonly handOverP50: number;
  readonly handOverP99: number;
  /** Keys of held locks in Redis at one time: the median and the most of many looks. */
  readonly liveKeys: number;
  readonly mostLiveKeys: number;
}

/** Who holds and who waits, by name; finds overlaps. */
class Ledger {
  readonly handOvers: number[] = [];
  taken = 0;
  private readonly waiting = new Map<string, number>();
  private readonly holding = new Set<string>();
  private readonly released = new Map<string, { at: number; handedOver: () => void }>();

  wait(name: string): void {
    this.waiting.set(name, (this.waiting.get(name) ?? 0) + 1);
  }

  take(name: string): void {
    const now = performance.now();
    this.waiting.set(name, (this.waiting.get(name) ?? 1) - 1);
    if (this.holding.has(name)) throw new Error(`${name} was held twice at once`);
    this.holding.add(name);
    this.taken++;
    const released = this.released.get(name);
    this.released.delete(name);
    if (released === undefined) return;
    this.handOvers.push(now - released.at);
    released.handedOver();
  }

  /** Resolves when somebody who waited has it: until then whoever gave it back stands aside, or it would hand over to itself. */
  give(name: string): Promise<void> {
    this.holding.delete(name);
    if ((this.waiting.get(name) ?? 0) === 0) return Promise.resolve();
    return new Promise((handedOver) => this.released.set(name, { at: performance.now(), handedOver }));
  }
}

async function contend(
  contender: Contender,
  names: readonly string[],
  ledger: Ledger,
  { holdMs }: Contention,
  until: number,
): Promise<void> {
  while (performance.now() < until) {
    const name = names[Math.floor(Math.random() * names.length)] ?? '';
    ledger.wait(name);
    const lock = await contender.acquire(name);
    ledger.take(name);
    if (holdMs > 0) await delay(holdMs);
    const handedOver = ledger.give(name);
    await lock.release();
    await handedOver;
  }
}

async function countKeys(redis: Redis, pattern: string): Promise<number> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    for (const key of found) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  return keys.size;
}

/** Throws where two held one lock at the same time. */
export async function measureContention(system: LockSystem, socketPath: string, plan: Contention): Promise<ContentionFigures> {
  const redis = new Redis(socketPath);
  await redis.flushall();
  const names = shardedNames('bench', plan.shards);
  const contenders = await Promise.all(Array.from({ length: plan.contenders }, () => system.open(socketPath)));
  const ledger = new Ledger();
  const looks: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + plan.seconds * 1_000;
  const look = async (): Promise<void> => {
    while (performance.now() < until) {
      looks.push(await countKeys(redis, system.pattern));
      await delay(25);
    }
  };
  await Promise.all([look(), ...contenders.map((contender) => contend(contender, names, ledger, plan, until))]);
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(contenders.map((contender) => contender.close()));
  redis.disconnect();
  return {
    perSecond: ledger.taken / seconds,
    handOverP50: quantile(ledger.handOvers, 0.5),
    handOverP99: quantile(ledger.handOvers, 0.99),
    liveKeys: quantile(looks, 0.5),
    mostLiveKeys: Math.max(...looks),
  };
}

export interface UncontendedFigures {
  /** Acquire and release, one after the other. */
  readonly perSecond: number;
  /** CPU time of this process for one acquire and release, microseconds. */
  readonly cpuMicroseconds: number;
}

const SLICES = 40;

/**
 * One contender of each system, and nobody else: acquire and release, each awaited before the next. In many short slices in turn, so that
 * whatever else the machine does meets all systems alike.
 */
export async function measureUncontended(
  systems: readonly LockSystem[],
  socketPath: string,
  times: number,
): Promise<Map<LockSystem, UncontendedFigures>> {
  const sums = await Promise.all(
    systems.map(async (system) => ({ system, contender: await system.open(socketPath), milliseconds: 0, cpuMicroseconds: 0 })),
  );
  const pairs = async (contender: Contender, count: number): Promise<void> => {
    for (let time = 0; time < count; time++) await (await contender.acquire('alone')).release();
  };
  for (const { contender } of sums) await pairs(contender, times / 4);
  const perSlice = Math.ceil(times / SLICES);
  for (let slice = 0; slice < SLICES; slice++) {
    for (const sum of slice % 2 === 0 ? sums : sums.toReversed()) {
      const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
      await pairs(sum.contender, perSlice);
      const { user, system } = process.cpuUsage(cpu);
      sum.milliseconds += performance.now() - startedAt;
      sum.cpuMicroseconds += user + system;
    }
  }
  await Promise.all(sums.map(({ contender }) => contender.close()));
  const count = perSlice * SLICES;
  return new Map(
    sums.map(({ system, milliseconds, cpuMicroseconds }) => [
      system,
      { perSecond: (count / milliseconds) * 1_000, cpuMicroseconds: cpuMicroseconds / count },
    ]),
  );
}
