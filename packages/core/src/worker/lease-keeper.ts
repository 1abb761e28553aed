import type { Clock } from '../clock.ts';
import type { Logger } from '../maintenance/chore.ts';
import { timelineMs } from '../queue/settings.ts';
import type { Connection } from '../redis/connection.ts';
import { parseRenew, type RenewWord, renewScript } from '../scripts/renew.ts';
import type { Run } from './run.ts';

/** Renewing more leases in one script stalls Redis for milliseconds (FACTS). */
const RENEW_BATCH = 125;
/** A holder trusts its lease this share less than Redis does: reports and clocks need time too. */
const MARGIN = 0.1;
/** Progress is told at most this often between renewals. */
const PROGRESS_MS = 1_000;

/** Monotonic time until which a lease asked for at `asked` is sure. */
export function trustedUntil(asked: number, leaseMs: number): number {
  return asked + leaseMs * (1 - MARGIN);
}

/** Renews every lease of this worker at a third of its time, in batches by shard, and passes on what comes back. */
export class LeaseKeeper {
  private readonly runs = new Set<Run>();
  private readonly connection: Connection;
  private readonly worker: string;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | null = null;
  private tickMs = PROGRESS_MS;
  private readonly told = new Map<Run, number>();

  constructor(options: { connection: Connection; worker: string; clock: Clock; logger: Logger }) {
    this.connection = options.connection;
    this.worker = options.worker;
    this.clock = options.clock;
    this.logger = options.logger;
  }

  keep(run: Run): void {
    this.runs.add(run);
    this.schedule(run.queue.settings.leaseMs / 6);
  }

  drop(run: Run): void {
    this.runs.delete(run);
    this.told.delete(run);
    if (this.runs.size === 0) this.rest();
  }

  /** For runs that have been abandoned: their leases run out. */
  stop(): void {
    this.runs.clear();
    this.rest();
  }

  /** Every lease at once, for instance when Redis is back. */
  renewAll(): void {
    this.renew([...this.runs]);
  }

  private rest(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** The shortest lease sets the pace, also when it comes after longer ones. */
  private schedule(wantedMs: number): void {
    const tickMs = Math.min(PROGRESS_MS, wantedMs);
    if (this.timer !== null) {
      if (tickMs >= this.tickMs) return;
      clearInterval(this.timer);
    }
    this.tickMs = tickMs;
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  private tick(): void {
    const now = this.clock.monotonic();
    const ripe = [...this.runs].filter((run) => {
      const { leaseMs } = run.queue.settings;
      const asked = run.trustedUntil - leaseMs * (1 - MARGIN);
      const told = this.told.get(run) ?? run.row.record.progress;
      return now - asked >= leaseMs / 3 || (run.progress !== told && now - asked >= PROGRESS_MS);
    });
    for (const run of this.runs) {
      // It may have run out by the next tick.
      if (run.exclusive && now + this.tickMs >= run.trustedUntil) run.stop('lease_unsure', 'the lease is no longer sure');
      if (now >= run.trustedUntil) this.logger.debug({ task: run.id, fence: run.fence }, 'a lease is no longer sure');
    }
    this.renew(ripe);
  }

  private renew(runs: readonly Run[]): void {
    if (runs.length === 0 || !this.connection.isUp()) return;
    const groups = new Map<string, Run[]>();
    for (const run of runs) {
      const group = groups.get(run.shard.keys.base);
      if (group === undefined) groups.set(run.shard.keys.base, [run]);
      else group.push(run);
    }
    for (const group of groups.values()) {
      for (let from = 0; from < group.length; from += RENEW_BATCH) {
        this.renewBatch(group.slice(from, from + RENEW_BATCH)).catch((error: unknown) =>
          this.logger.warn({ err: error }, 'leases could not be renewed; it is tried again'),
        );
      }
    }
  }

  private async renewBatch(runs: readonly Run[]): Promise<void> {
    const [first] = runs;
    if (first === undefined) return;
    const { queue, shard } = first;
    const asked = this.clock.monotonic();
    for (const run of runs) this.told.set(run, run.progress);
    const words = parseRenew(
      await this.connection.run(
        renewScript,
        shard.keys,
        {
          sequence_at: shard.sequenceAt,
          worker: this.worker,
          lease_ms: queue.settings.leaseMs,
          lock_keys: queue.layout.lockKeys ? 1 : 0,
          timeline_ms: timelineMs(queue.settings),
        },
        runs.map((run) => ({ id: run.id, fence: run.fence, progress: Math.round(run.progress * 10_000) })),
      ),
    ).words;
    runs.forEach((run, index) => this.hear(run, words[index] ?? 'lost', asked));
  }

  private hear(run: Run, word: RenewWord, asked: number): void {
    if (!this.runs.has(run)) return;
    switch (word) {
      case 'renewed':
        run.trustedUntil = trustedUntil(asked, run.queue.settings.leaseMs);
        return;
      case 'reaped':
        // Nobody has claimed it yet: the result is still welcome (DESIGN P2), so the work goes on.
        return;
      case 'cancelled':
        run.stop('cancelled', 'the task was cancelled');
        return;
      case 'lost':
      case 'missing':
        run.stop('lease_lost', 'another run has begun or the task is gone');
    }
  }
}
