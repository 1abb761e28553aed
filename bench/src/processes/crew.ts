import { Child } from './child.ts';
import type { WorkerCount, WorkerMessage, WorkerOrder, WorkerReport } from './messages.ts';

export interface CrewCount {
  readonly started: number;
  readonly ended: number;
  readonly lastEndedAt: number;
  readonly cpuUs: number;
}

/** A process that said it has stopped may still write its profile. */
const EXIT_MS = 10_000;

/** Some worker processes with the same orders. */
export class Crew {
  private readonly children: readonly Child<WorkerMessage>[];
  private readonly counts = new Map<Child<WorkerMessage>, WorkerCount>();
  private readonly watchers = new Set<(count: CrewCount) => void>();

  private constructor(children: readonly Child<WorkerMessage>[]) {
    this.children = children;
    for (const child of children) {
      child.listen((message) => {
        if (message.kind !== 'count') return;
        this.counts.set(child, message);
        const count = this.count();
        for (const watcher of this.watchers) watcher(count);
      });
    }
  }

  /** `nodeOptions`: for the first of them alone, such as a profiler's. */
  static async open(processes: number, order: WorkerOrder, nodeOptions: readonly string[] = []): Promise<Crew> {
    const children = Array.from(
      { length: processes },
      (_, index) => new Child<WorkerMessage>('worker-process.js', order, index === 0 ? nodeOptions : []),
    );
    await Promise.all(children.map((child) => child.next('ready')));
    return new Crew(children);
  }

  start(): void {
    for (const child of this.children) child.send('start');
  }

  count(): CrewCount {
    const all = [...this.counts.values()];
    return {
      started: all.reduce((sum, { started }) => sum + started, 0),
      ended: all.reduce((sum, { ended }) => sum + ended, 0),
      lastEndedAt: Math.max(0, ...all.map(({ lastEndedAt }) => lastEndedAt)),
      cpuUs: all.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    };
  }

  /** Resolves with the count at which `enough` first held; fails when it does not hold in time. */
  until(what: string, enough: (count: CrewCount) => boolean, withinMs: number): Promise<CrewCount> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.watchers.delete(watcher);
        reject(new Error(`${what}: not within ${withinMs} ms, ${JSON.stringify(this.count())}`));
      }, withinMs);
      const watcher = (count: CrewCount): void => {
        if (!enough(count)) return;
        clearTimeout(timer);
        this.watchers.delete(watcher);
        resolve(count);
      };
      this.watchers.add(watcher);
      watcher(this.count());
    });
  }

  report(): Promise<WorkerReport[]> {
    return Promise.all(
      this.children.map((child) => {
        const report = child.next('report');
        child.send('report');
        return report;
      }),
    );
  }

  /** In order, so that what is held is handed back. */
  async stop(): Promise<void> {
    await Promise.all(
      this.children.map(async (child) => {
        const stopped = child.next('stopped');
        child.send('stop');
        await stopped;
        await child.end(EXIT_MS);
      }),
    );
  }

  /** At once, however it stands. */
  async end(): Promise<void> {
    await Promise.all(this.children.map((child) => child.end()));
  }
}
