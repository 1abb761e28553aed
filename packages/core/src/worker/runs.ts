import type { Run } from './run.ts';
import type { ControlWord } from './wake-listener.ts';

/** The runs that a worker holds, from their claim until they are reported. */
export class Runs implements Iterable<Run> {
  private readonly held = new Set<Run>();
  private allEnded: (() => void) | null = null;

  get size(): number {
    return this.held.size;
  }

  [Symbol.iterator](): Iterator<Run> {
    return this.held.values();
  }

  add(run: Run): void {
    this.held.add(run);
  }

  delete(run: Run): void {
    this.held.delete(run);
    if (this.held.size === 0) this.allEnded?.();
  }

  /** The run that a word is about. */
  meantBy({ taskId, fence }: ControlWord): Run | undefined {
    for (const run of this.held) if (run.id === taskId && run.fence === fence) return run;
    return undefined;
  }

  /** Resolves when none is held; to be asked once, when none is added any more. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.held.size === 0) resolve();
      else this.allEnded = resolve;
    });
  }
}
