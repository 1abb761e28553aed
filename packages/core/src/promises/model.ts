import type { TaskState } from '@galley/contract';

/** What the model knows of a task; the scheduler must agree at every step. */
export interface ModelTask {
  readonly id: string;
  readonly shard: number;
  readonly parent: string | null;
  readonly identity: string | null;
  readonly maxRetries: number;
  readonly crashBudget: number;
  state: TaskState;
  score: number;
  fence: number;
  worker: string;
  open: boolean;
  expired: boolean;
  attempts: number;
  crashes: number;
  resultHeld: boolean;
  children: { total: number; completed: number; failed: number; strict: boolean } | null;
}

const FINAL: readonly TaskState[] = ['completed', 'cancelled', 'dead_letter'];

/** The scheduler's rules, as small as they can be said: no Redis, no time, no batches. */
export class Model {
  readonly tasks = new Map<string, ModelTask>();
  readonly identities = new Map<string, string>();

  submitted(task: Pick<ModelTask, 'id' | 'shard' | 'identity' | 'score' | 'state'>): void {
    this.tasks.set(task.id, {
      parent: null,
      maxRetries: 1,
      crashBudget: 2,
      fence: 0,
      worker: '',
      open: false,
      expired: false,
      attempts: 0,
      crashes: 0,
      resultHeld: false,
      children: null,
      ...task,
    });
    if (task.identity !== null) this.identities.set(task.identity, task.id);
  }

  /** The task that a submit of this identity answers with. */
  holderOf(identity: string): ModelTask | null {
    const task = this.tasks.get(this.identities.get(identity) ?? '');
    if (task === undefined) return null;
    return isFinal(task) && !(task.state === 'completed' && task.resultHeld) ? null : task;
  }

  move(task: ModelTask, score: number): void {
    task.score = score;
    for (const child of this.childrenOf(task)) if (!isFinal(child)) child.score = score;
  }

  /** The ids that a claim must answer with, in order. */
  claim(shard: number, worker: string, limit: number): ModelTask[] {
    const line = [...this.tasks.values()].filter((task) => task.shard === shard && task.state === 'pending');
    const taken = line.sort((a, b) => a.score - b.score || (a.id < b.id ? -1 : 1)).slice(0, limit);
    for (const task of taken) Object.assign(task, { state: 'processing', fence: task.fence + 1, worker, open: true, expired: false });
    return taken;
  }

  holds(task: ModelTask, worker: string, fence: number): boolean {
    return task.open && task.fence === fence && task.worker === worker;
  }

  private wasOf(task: ModelTask, worker: string, fence: number): boolean {
    return task.fence === fence && task.worker === worker;
  }

  complete(task: ModelTask | undefined, worker: string, fence: number): string {
    if (task === undefined) return 'missing';
    if (this.holds(task, worker, fence)) {
      const parent = this.parentOf(task);
      if (task.state === 'dead_letter' && parent?.children && this.reopen(parent) !== null) parent.children.failed--;
      Object.assign(task, { state: 'completed', open: false, resultHeld: true });
      this.childEnded(task, 'completed');
      return 'completed';
    }
    if (!this.wasOf(task, worker, fence)) return 'lease_lost';
    return task.state === 'completed' || task.state === 'cancelled' ? task.state : 'lease_lost';
  }

  fail(task: ModelTask | undefined, worker: string, fence: number, kind: string): string {
    if (task === undefined) return 'missing';
    if (task.state === 'processing' && this.holds(task, worker, fence)) {
      task.open = false;
      if (kind === 'crash') return this.crash(task);
      if (kind !== 'deferred') task.attempts++;
      if (kind === 'permanent' || task.attempts > task.maxRetries) return this.bury(task);
      task.state = 'retrying';
      return 'retrying';
    }
    if (!this.wasOf(task, worker, fence)) return 'lease_lost';
    if (task.state === 'cancelled') return 'cancelled';
    return task.open || task.state === 'completed' ? 'lease_lost' : task.state;
  }

  release(task: ModelTask | undefined, worker: string, fence: number): string {
    if (task === undefined) return 'missing';
    if (task.state === 'processing' && this.holds(task, worker, fence)) {
      Object.assign(task, { state: 'pending', open: false });
      return 'pending';
    }
    return task.state === 'pending' && !task.open && this.wasOf(task, worker, fence) ? 'pending' : 'lease_lost';
  }

  renew(task: ModelTask | undefined, worker: string, fence: number): string {
    if (task === undefined) return 'missing';
    if (this.holds(task, worker, fence)) {
      if (task.state !== 'processing') return 'reaped';
      task.expired = false;
      return 'renewed';
    }
    return task.state === 'cancelled' && this.wasOf(task, worker, fence) ? 'cancelled' : 'lost';
  }

  cancel(task: ModelTask): string {
    if (isFinal(task)) return 'final';
    this.end(task);
    this.childEnded(task, 'failed');
    for (const child of this.childrenOf(task)) if (!isFinal(child)) this.end(child);
    return 'cancelled';
  }

  private end(task: ModelTask): void {
    Object.assign(task, { state: 'cancelled', open: false });
    this.free(task);
  }

  reap(): void {
    for (const task of this.tasks.values()) {
      if (task.state !== 'processing' || !task.expired) continue;
      task.crashes++;
      if (task.crashes >= task.crashBudget) this.bury(task);
      else task.state = 'pending';
    }
  }

  private crash(task: ModelTask): string {
    task.crashes++;
    if (task.crashes >= task.crashBudget) return this.bury(task);
    task.state = 'pending';
    return 'pending';
  }

  fanOut(task: ModelTask, worker: string, fence: number, total: number, strict: boolean): string {
    if (task.state !== 'processing' || !this.holds(task, worker, fence)) return 'lease_lost';
    for (let number = 1; number <= total; number++) {
      const id = `${task.id}.${String(number).padStart(5, '0')}`;
      this.submitted({ id, shard: task.shard, identity: null, score: task.score, state: 'pending' });
      this.tasks.set(id, { ...(this.tasks.get(id) as ModelTask), parent: task.id });
    }
    Object.assign(task, { state: 'waiting', open: false, children: { total, completed: 0, failed: 0, strict } });
    return 'fanned_out';
  }

  revive(task: ModelTask | undefined): string {
    if (task === undefined) return 'missing';
    if (task.state !== 'dead_letter') return 'not_dead';
    if (!this.retake(task)) return 'identity_taken';
    const refusal = task.parent === null ? null : this.reopen(this.tasks.get(task.parent));
    if (refusal !== null) return refusal;
    Object.assign(task, { state: 'pending', open: false, worker: '', attempts: 0, crashes: 0 });
    return 'revived';
  }

  private reopen(parent: ModelTask | undefined): string | null {
    if (parent === undefined || parent.children === null || parent.state === 'cancelled') return 'parent_gone';
    if (isFinal(parent) && !this.retake(parent)) return 'identity_taken';
    parent.children.failed--;
    if (parent.state === 'waiting') return null;
    if (parent.state === 'dead_letter') Object.assign(parent, { attempts: 0, crashes: 0 });
    Object.assign(parent, { state: 'waiting', fence: parent.fence + 1, open: false, resultHeld: false });
    return null;
  }

  /** Takes the identity again unless somebody else has it. */
  private retake(task: ModelTask): boolean {
    if (task.identity === null) return true;
    const holder = this.holderOf(task.identity);
    if (holder !== null && holder !== task) return false;
    this.identities.set(task.identity, task.id);
    return true;
  }

  purge(task: ModelTask | undefined): string {
    if (task === undefined) return 'missing';
    if (!isFinal(task)) return 'not_final';
    for (const gone of [task, ...this.childrenOf(task)]) {
      this.free(gone);
      this.tasks.delete(gone.id);
    }
    return 'purged';
  }

  private bury(task: ModelTask): string {
    task.state = 'dead_letter';
    this.free(task);
    this.childEnded(task, 'failed');
    return 'dead_letter';
  }

  private free(task: ModelTask): void {
    if (task.identity !== null && this.identities.get(task.identity) === task.id) this.identities.delete(task.identity);
  }

  private childEnded(task: ModelTask, outcome: 'completed' | 'failed'): void {
    const parent = this.parentOf(task);
    if (parent === undefined || parent.children === null) return;
    const { children } = parent;
    children[outcome]++;
    if (children.completed + children.failed < children.total || parent.state !== 'waiting') return;
    if (children.strict && children.failed > 0) {
      parent.state = 'dead_letter';
      this.free(parent);
    } else parent.state = 'pending';
  }

  private parentOf(task: ModelTask): ModelTask | undefined {
    return task.parent === null ? undefined : this.tasks.get(task.parent);
  }

  private childrenOf(task: ModelTask): ModelTask[] {
    return [...this.tasks.values()].filter((other) => other.parent === task.id);
  }
}

export function isFinal(task: ModelTask): boolean {
  return FINAL.includes(task.state);
}
