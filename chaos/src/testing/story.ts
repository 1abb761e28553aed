import type { TaskState } from '@galley/contract';
import type { TaskView, TimelineEntry } from '@galley/core';
import type { Evidence } from '../check/evidence.ts';
import type { Place } from '../check/final-state.ts';
import type { HistoryEntry, HistoryEvent } from '../history/events.ts';
import { SETTING } from '../run/setting.ts';

interface Told {
  id: string;
  label: string;
  priority: number;
  state: TaskState;
  fence: number;
  crashes: number;
  errors: string[];
  result: string | null;
  children: { total: number; completed: number; failed: number } | null;
  timeline: TimelineEntry[];
}

const PLACES: Partial<Record<TaskState, Place>> = { completed: 'finished', cancelled: 'finished', dead_letter: 'dead', pending: 'pending' };

/**
 * Makes up the evidence of a run, step by step: each step is what an honest system would have left in the history and in
 * Redis. Tests then change a detail and expect the checker to see it. Time is in milliseconds and only moves by `pass`.
 */
export class Story {
  at = 1_000_000;
  atRest = true;
  readonly history: HistoryEvent[] = [];
  readonly tasks = new Map<string, Told>();
  readonly totals: Record<string, number> = {};
  readonly locks: { task: string; ttlMs: number }[] = [];
  private number = 0;

  constructor(processes: readonly string[] = ['worker-1.1', 'worker-2.1', 'server.1']) {
    for (const process of processes) {
      this.say({ event: 'process started', process });
      this.say({ event: 'process ready', process });
      this.say({ event: 'worker started', worker: `id of ${process}` }, process);
    }
    this.pass(10_000);
  }

  pass(milliseconds: number): this {
    this.at += milliseconds;
    return this;
  }

  say(entry: HistoryEntry, by = 'main'): void {
    this.history.push({ ...entry, at: this.at, by });
  }

  note(id: string, event: TimelineEntry['event'], fields: Partial<TimelineEntry> = {}): void {
    this.task(id).timeline.push({ at: this.at, event, ...fields });
  }

  task(id: string): Told {
    const task = this.tasks.get(id);
    if (task === undefined) throw new Error(`the story knows no task ${id}`);
    return task;
  }

  submit(priority = 100): string {
    const label = `p1-${this.number}`;
    const id = `chaos-00-${String(this.number++).padStart(12, '0')}-aaaaaa`;
    this.say({ event: 'submit asked', label, type: 'quick', priority, delayMs: 0, identity: null }, 'producer-1.1');
    this.plant(id, label, priority);
    this.note(id, 'submitted');
    this.say({ event: 'submit answered', label, task: id, duplicate: false }, 'producer-1.1');
    return id;
  }

  plant(id: string, label: string, priority = 100): void {
    const blank = { state: 'pending' as const, fence: 0, crashes: 0, errors: [], result: null, children: null, timeline: [] };
    this.tasks.set(id, { id, label, priority, ...blank });
  }

  claim(id: string, by = 'worker-1.1'): number {
    const task = this.task(id);
    const fence = ++task.fence;
    task.state = 'processing';
    this.note(id, 'claimed', { run: fence, fence, worker_id: `id of ${by}` });
    this.say({ event: 'run claimed', task: id, fence }, by);
    this.say({ event: 'run started', task: id, fence, type: 'quick', attempt: 1, crashes: task.crashes }, by);
    return fence;
  }

  renew(id: string): void {
    this.note(id, 'renewed', { run: this.task(id).fence });
  }

  /** The handler returns; what its worker is told is a step of its own. */
  returned(id: string, fence: number, by = 'worker-1.1'): void {
    this.say({ event: 'run ended', task: id, fence, how: 'returned', detail: '' }, by);
  }

  told(id: string, fence: number, outcome: string, by = 'worker-1.1'): void {
    this.say({ event: 'run told', task: id, fence, outcome }, by);
  }

  complete(id: string, by = 'worker-1.1'): void {
    const task = this.task(id);
    this.returned(id, task.fence, by);
    task.state = 'completed';
    task.result = JSON.stringify({ fence: task.fence, by, label: task.label });
    this.note(id, 'completed', { run: task.fence });
    this.told(id, task.fence, 'completed', by);
  }

  /** The lease has run out; with `counted` it counts as a crash. */
  reap(id: string, counted: boolean): void {
    const task = this.task(id);
    if (counted) task.crashes++;
    task.state = 'pending';
    this.note(id, 'reaped', { run: task.fence, detail: String(task.crashes) });
    if (task.crashes < SETTING.crashBudget) return;
    task.state = 'dead_letter';
    task.errors.push('crash_loop');
    this.note(id, 'dead_lettered', { code: 'crash_loop' });
  }

  cancel(id: string): void {
    this.say({ event: 'cancel asked', task: id }, 'producer-1.1');
    this.task(id).state = 'cancelled';
    this.note(id, 'cancelled', { run: this.task(id).fence });
    this.say({ event: 'cancel answered', task: id, word: 'cancelled', state: null }, 'producer-1.1');
  }

  fault(kind: string, target: string, forMs: number): void {
    const number = this.number++;
    this.say({ event: 'fault began', number, kind, target });
    this.pass(forMs).say({ event: 'fault ended', number });
  }

  die(process: string): void {
    this.say({ event: 'process ended', process, code: null, signal: 'SIGKILL' });
  }

  /** What the checker gets; `counts` are those of the tasks that are there. */
  evidence(): Evidence {
    const counts: Record<string, number> = {};
    const add = (field: string): void => void (counts[field] = (counts[field] ?? 0) + 1);
    const tasks = [...this.tasks.values()].map((told) => {
      add(told.state);
      const child = told.id.includes('.');
      if (child) add(`child:${told.state}`);
      const place = child && told.state !== 'dead_letter' ? undefined : PLACES[told.state];
      const { timeline, result } = told;
      return [told.id, { view: viewOf(told), timeline, result, places: place === undefined ? [] : [place] }] as const;
    });
    const final = { tasks: new Map(tasks), counts, totals: this.totals, locks: this.locks };
    return { history: this.history.toSorted((a, b) => a.at - b.at), final, atRest: this.atRest, setting: SETTING };
  }
}

function viewOf(told: Told): TaskView {
  const { id, label, priority, state, fence, crashes, children } = told;
  return {
    id,
    queue: 'chaos',
    shard: id.slice(6, 8),
    parentId: id.includes('.') ? id.slice(0, id.indexOf('.')) : null,
    childNumber: null,
    state,
    header: { type: 'quick' },
    payload: { label, ms: 0, untilFence: 1 },
    priority,
    score: priority,
    fence,
    attempts: 0,
    crashes,
    maxRetries: 2,
    progress: 0,
    createdAt: told.timeline[0]?.at ?? 0,
    startedAt: null,
    finishedAt: null,
    dueAt: null,
    worker: null,
    leaseExpiresAt: null,
    errors: told.errors.map((code) => ({ at: 0, attempt: 0, fence, code, message: '' })),
    children,
    resultExpiresAt: null,
  };
}
