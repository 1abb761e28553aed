import type { EventOf, HistoryEvent } from '../history/events.ts';
import { ALIVE_MS, STALL_MS } from '../history/stall-watch.ts';
import type { FaultKind } from '../schedule/plan-faults.ts';
import type { Evidence } from './evidence.ts';
import { Windows } from './windows.ts';

/** After a fault is over: connections are made again, and a reaper that has noticed a gap holds back. */
const SETTLE_MS = 1_000;

const LOSING_LEASES = new Set<string>(['worker-kill', 'worker-freeze', 'connection-stall', 'producer-kill'] satisfies FaultKind[]);
/** After these, and after a stop in order or a clock that is set, no lease may be lost. */
const CUTTING = new Set<string>(['connection-cut', 'cut-in-reply'] satisfies FaultKind[]);

/** `worker-1.3` → `worker-1`. */
export function memberOf(by: string): string {
  return by.replace(/\.\d+$/, '');
}

function isOf<Name extends HistoryEvent['event']>(name: Name): (event: HistoryEvent) => event is EventOf<Name> {
  return (event): event is EventOf<Name> => event.event === name;
}

/** When whom something kept from doing what it promises: by a fault of the schedule, or because the machine gave it no time. */
export class Disturbances {
  /** Redis was away or stood still, or the proxy before it did. */
  readonly redis = new Windows();
  /** By member: it was killed, frozen, could not be reached, or got no time: its leases may be lost. */
  private readonly hurts = new Map<string, Windows>();
  /** By member: its connection was cut, which costs it a moment and nothing more. */
  private readonly cuts = new Map<string, Windows>();
  /** By member: between two incarnations. */
  private readonly absences = new Map<string, Windows>();
  /** Process and incarnation → when it ended. */
  private readonly ends = new Map<string, EventOf<'process ended'>>();
  private readonly holdMs: number;

  constructor({ history, setting }: Evidence) {
    this.holdMs = SETTLE_MS + setting.leaseMs / 3 + 2 * setting.reaperMs;
    for (const end of history.filter(isOf('process ended'))) this.ends.set(end.process, end);
    this.readFaults(history);
    this.readLives(history);
    this.readLastWords(history);
    for (const { by, at, forMs } of history.filter(isOf('stalled'))) {
      // Everybody's connection goes to Redis, through the proxy, which is in the main process.
      if (by === 'main' || by === 'redis') this.redis.add(at - forMs, at + this.holdMs);
      else windowsOf(this.hurts, memberOf(by)).add(at - forMs, at + SETTLE_MS);
    }
  }

  /** Whether a process was well and could speak with Redis all through the span. */
  wasWell(member: string, from: number, to: number): boolean {
    const windows = [windowsOf(this.hurts, member), windowsOf(this.cuts, member), windowsOf(this.absences, member), this.redis];
    return !windows.some((spans) => spans.touch(from, to));
  }

  /** Whether a worker served all through the span, Redis aside. */
  someWorkerServed(from: number, to: number): boolean {
    return this.reapers.some(
      (member) =>
        member.startsWith('worker') && ![this.hurts, this.cuts, this.absences].some((table) => windowsOf(table, member).touch(from, to)),
    );
  }

  /** Whether something happened in the span to the very process that held a run, Redis aside. */
  holderWasHurt(by: string, from: number, to: number): boolean {
    const end = this.ends.get(by);
    return (end !== undefined && end.code !== 0 && end.at <= to) || windowsOf(this.hurts, memberOf(by)).touch(from, to);
  }

  endOf(by: string): EventOf<'process ended'> | null {
    return this.ends.get(by) ?? null;
  }

  /** Everybody who runs the chores. */
  get reapers(): readonly string[] {
    return [...this.absences.keys()].filter((member) => !member.startsWith('producer'));
  }

  private readFaults(history: readonly HistoryEvent[]): void {
    const ends = new Map(history.filter(isOf('fault ended')).map(({ number, at }) => [number, at]));
    for (const { number, at, kind, target } of history.filter(isOf('fault began'))) {
      const to = ends.get(number) ?? Number.POSITIVE_INFINITY;
      if (kind === 'redis-kill' || kind === 'redis-freeze') this.redis.add(at, to + this.holdMs);
      else if (LOSING_LEASES.has(kind)) windowsOf(this.hurts, target).add(at, to + SETTLE_MS);
      else if (CUTTING.has(kind)) windowsOf(this.cuts, target).add(at, to + SETTLE_MS);
    }
  }

  /** Who was killed long after its last sign of life had got no time before, and could not say so any more. */
  private readLastWords(history: readonly HistoryEvent[]): void {
    const aliveAt = new Map(history.filter(isOf('alive')).map(({ by, at }) => [by, at]));
    for (const { process, at } of this.ends.values()) {
      const last = aliveAt.get(process);
      if (last !== undefined && at - last > ALIVE_MS + STALL_MS) windowsOf(this.hurts, memberOf(process)).add(last, at + SETTLE_MS);
    }
  }

  /** From the end of one incarnation until the next one serves, a member does nothing. */
  private readLives(history: readonly HistoryEvent[]): void {
    const readyAt = new Map(history.filter(isOf('process ready')).map(({ process, at }) => [process, at]));
    for (const { process, at } of history.filter(isOf('process started'))) {
      const member = memberOf(process);
      const incarnation = Number(process.slice(member.length + 1));
      const before = this.ends.get(`${member}.${incarnation - 1}`);
      windowsOf(this.absences, member).add(before?.at ?? at, (readyAt.get(process) ?? Number.POSITIVE_INFINITY) + SETTLE_MS);
    }
  }
}

function windowsOf(table: Map<string, Windows>, member: string): Windows {
  let windows = table.get(member);
  if (windows === undefined) table.set(member, (windows = new Windows()));
  return windows;
}
