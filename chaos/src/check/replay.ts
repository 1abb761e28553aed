import type { TimelineEntry } from '@galley/core';

export type ReplayPlace =
  | 'none'
  | 'scheduled'
  | 'pending'
  | 'processing'
  | 'retrying'
  | 'waiting'
  | 'completed'
  | 'cancelled'
  | 'dead_letter'
  /** A failed run whose task becomes a dead letter in the same script. */
  | 'failing';

/** A run as Redis saw it; times in milliseconds of Redis's clock. */
export interface ReplayRun {
  readonly fence: number;
  readonly worker: string;
  readonly claimedAt: number;
  /** When its lease was last granted, by its claim or a renewal. */
  grantedAt: number;
  reapedAt: number | null;
  /** Whether its reaping counted a crash. */
  crashCounted: boolean;
  /** The event that took it out of `processing`; null where none did. */
  endedBy: string | null;
  endedAt: number | null;
}

/** A stay in line at one priority. */
export interface Stay {
  readonly from: number;
  readonly to: number;
  readonly priority: number;
}

export interface Replay {
  readonly runs: readonly ReplayRun[];
  readonly stays: readonly Stay[];
  readonly completions: readonly { readonly at: number; readonly fence: number }[];
  /** Crashes counted between the submit or a revival and the next revival, life by life. */
  readonly crashesByLife: readonly number[];
  /** How often a child's return had it wait again. */
  readonly reopened: number;
  readonly cancelledAt: number | null;
  readonly movedAt: readonly number[];
  readonly place: ReplayPlace;
  /** What no order of verbs can have done. */
  readonly faults: readonly string[];
  /** What the scrubber found wrong and put right. */
  readonly mended: readonly string[];
}

export interface ReplayStart {
  /** Where the task is before the first event: a child is in line and has no event of its own for it. */
  readonly place: 'none' | 'pending';
  readonly at: number;
  readonly priority: number;
  readonly delayed: boolean;
}

/** From which places each event may come. */
const MAY_FOLLOW: Readonly<Record<TimelineEntry['event'], readonly ReplayPlace[]>> = {
  submitted: ['none'],
  promoted: ['scheduled', 'retrying'],
  claimed: ['pending'],
  renewed: ['processing'],
  completed: ['processing', 'pending', 'dead_letter'],
  failed: ['processing'],
  dead_lettered: ['failing', 'pending', 'waiting'],
  released: ['processing'],
  reaped: ['processing'],
  cancelled: ['scheduled', 'pending', 'processing', 'retrying', 'waiting'],
  fanned_out: ['processing'],
  children_finished: ['waiting'],
  reprioritized: ['scheduled', 'pending', 'processing', 'retrying', 'waiting'],
  revived: ['dead_letter', 'completed', 'pending', 'processing'],
};

/** Plays a task's timeline through the picture of its states (docs/task-lifecycle.md). */
export function replay(timeline: readonly TimelineEntry[], start: ReplayStart): Replay {
  const player = new Player(start);
  for (const entry of timeline) player.play(entry);
  return player.end();
}

class Player {
  private readonly start: ReplayStart;
  private readonly runs: ReplayRun[] = [];
  private readonly stays: Stay[] = [];
  private readonly completions: { at: number; fence: number }[] = [];
  private readonly lives = [0];
  private readonly movedAt: number[] = [];
  private readonly faults: string[] = [];
  private readonly mended: string[] = [];
  private reopened = 0;
  private cancelledAt: number | null = null;
  private place: ReplayPlace;
  private since: number;
  private priority: number;

  constructor(start: ReplayStart) {
    this.start = start;
    this.place = start.place;
    this.since = start.at;
    this.priority = start.priority;
  }

  end(): Replay {
    if (this.place === 'pending') this.stays.push({ from: this.since, to: Number.POSITIVE_INFINITY, priority: this.priority });
    const { runs, stays, completions, reopened, cancelledAt, movedAt, place, faults, mended } = this;
    return { runs, stays, completions, crashesByLife: this.lives, reopened, cancelledAt, movedAt, place, faults, mended };
  }

  play(entry: TimelineEntry): void {
    const { event } = entry;
    // What the scrubber has mended says so in its detail.
    if (event === 'released' && entry.run === undefined) return void this.mended.push(entry.detail ?? '');
    if (!MAY_FOLLOW[event].includes(this.place) || !this.fits(entry)) {
      this.faults.push(`"${event}" came while it was ${this.place}`);
    }
    this.take(entry);
  }

  private get last(): ReplayRun | undefined {
    return this.runs.at(-1);
  }

  /** What the places alone do not say. */
  private fits({ event, at, run }: TimelineEntry): boolean {
    switch (event) {
      case 'completed':
        // Late, but nobody else had begun (DESIGN P2).
        return run === this.last?.fence && (this.place === 'processing' || this.last?.reapedAt !== null);
      case 'dead_lettered':
        return this.place !== 'pending' || this.last?.reapedAt === at;
      case 'claimed':
        return run !== undefined && run > (this.last?.fence ?? 0);
      default:
        return true;
    }
  }

  private take(entry: TimelineEntry): void {
    const { event, at, detail, code } = entry;
    switch (event) {
      case 'submitted':
        return this.go(this.start.delayed ? 'scheduled' : 'pending', at);
      case 'promoted':
      case 'children_finished':
        return this.go('pending', at);
      case 'claimed':
        return this.claim(entry);
      case 'renewed':
        if (this.last !== undefined) this.last.grantedAt = at;
        return;
      case 'completed':
        this.completions.push({ at, fence: entry.run ?? 0 });
        return this.leave(event, at, 'completed');
      case 'failed':
        if (detail === undefined && (code === 'crash' || code === 'crash_loop')) this.crash();
        return this.leave(event, at, detail !== undefined ? 'retrying' : code === 'crash' ? 'pending' : 'failing');
      case 'dead_lettered':
        return this.go('dead_letter', at);
      case 'released':
        return this.leave(event, at, 'pending');
      case 'reaped':
        return this.reap(at, Number(detail));
      case 'cancelled':
        this.cancelledAt = at;
        return this.leave(event, at, 'cancelled');
      case 'fanned_out':
        return this.leave(event, at, 'waiting');
      case 'reprioritized':
        this.movedAt.push(at);
        this.go(this.place, at);
        this.priority = Number(detail);
        return;
      case 'revived':
        return this.revive(at, detail);
    }
  }

  private claim({ at, run = 0, worker_id: worker = '' }: TimelineEntry): void {
    this.runs.push({ fence: run, worker, claimedAt: at, grantedAt: at, reapedAt: null, crashCounted: false, endedBy: null, endedAt: null });
    this.go('processing', at);
  }

  private reap(at: number, crashes: number): void {
    const run = this.last;
    const life = this.lives.at(-1) ?? 0;
    if (run !== undefined) {
      run.reapedAt = at;
      run.crashCounted = crashes > life;
    }
    this.lives[this.lives.length - 1] = crashes;
    this.leave('reaped', at, 'pending');
  }

  private crash(): void {
    this.lives[this.lives.length - 1] = (this.lives.at(-1) ?? 0) + 1;
  }

  /** By an admin, from the dead; or, with a child's id, because that child lives again. */
  private revive(at: number, child: string | undefined): void {
    if (this.place === 'dead_letter') this.lives.push(0);
    if (child === undefined) return this.go('pending', at);
    this.reopened++;
    this.leave('revived', at, 'waiting');
  }

  private leave(event: string, at: number, to: ReplayPlace): void {
    const run = this.last;
    if (this.place === 'processing' && run !== undefined) Object.assign(run, { endedBy: event, endedAt: at });
    this.go(to, at);
  }

  private go(to: ReplayPlace, at: number): void {
    if (this.place === 'pending') this.stays.push({ from: this.since, to: at, priority: this.priority });
    this.place = to;
    this.since = at;
  }
}
