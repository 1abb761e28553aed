import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, TemporaryRedisServer } from '@galley/core';
import type { HistoryWriter } from '../history/writer.ts';
import type { Member } from '../processes/member.ts';
import type { Fault } from '../schedule/plan-faults.ts';
import type { FaultProxy } from './fault-proxy.ts';

export interface Victims {
  readonly members: ReadonlyMap<string, Member>;
  readonly proxy: FaultProxy;
  readonly redis: TemporaryRedisServer;
  /** To Redis itself, past the proxy. */
  readonly connection: Connection;
}

/** Does the faults of a schedule when their time has come, and writes down when each began and ended. */
export class Injector {
  private readonly victims: Victims;
  private readonly history: HistoryWriter;
  private readonly underWay: Promise<void>[] = [];

  constructor(victims: Victims, history: HistoryWriter) {
    this.victims = victims;
    this.history = history;
  }

  /** Resolves when the last fault is over: everything is whole again then. `startedAt`: ms since the epoch. */
  async inject(faults: readonly Fault[], startedAt: number): Promise<void> {
    for (const [number, fault] of faults.entries()) {
      await delay(Math.max(0, startedAt + fault.at - Date.now()));
      this.underWay.push(this.one(number, fault));
    }
    await Promise.all(this.underWay);
  }

  private async one(number: number, fault: Fault): Promise<void> {
    this.history.write({ event: 'fault began', number, kind: fault.kind, target: 'target' in fault ? fault.target : 'redis' });
    await this.hurt(fault);
    this.history.write({ event: 'fault ended', number });
  }

  private member(name: string): Member {
    const member = this.victims.members.get(name);
    if (member === undefined) throw new Error(`the schedule hurts ${name}, which is not there`);
    return member;
  }

  private async hurt(fault: Fault): Promise<void> {
    const { proxy, redis, connection } = this.victims;
    switch (fault.kind) {
      case 'worker-kill':
      case 'producer-kill':
        this.member(fault.target).signal('SIGKILL');
        return;
      case 'worker-stop':
        this.member(fault.target).signal('SIGTERM');
        return;
      case 'worker-freeze':
        this.member(fault.target).signal('SIGSTOP');
        await delay(fault.forMs);
        this.member(fault.target).signal('SIGCONT');
        return;
      case 'clock-step':
        this.member(fault.target).send({ kind: 'step-clock', byMs: fault.byMs });
        return;
      case 'connection-cut':
        return proxy.cut(fault.target);
      case 'cut-in-reply':
        return proxy.cutInReply(fault.target);
      case 'connection-stall':
        proxy.stall(fault.target);
        await delay(fault.forMs);
        return proxy.resume(fault.target);
      case 'redis-kill':
        await redis.kill9();
        await delay(fault.forMs);
        return redis.restart();
      case 'redis-freeze':
        redis.pause();
        await delay(fault.forMs);
        return redis.resume();
      case 'script-flush':
        await connection.client.script('FLUSH');
    }
  }
}
