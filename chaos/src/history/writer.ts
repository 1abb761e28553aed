import { openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import type { HistoryEntry } from './events.ts';

/**
 * Appends to a file of this thread's own. Each line is handed to the kernel before the next step is taken, so what was
 * written outlives `kill -9` of its writer.
 */
export class HistoryWriter {
  readonly by: string;
  private readonly file: number;

  /** `by`: process and incarnation, `worker-1.3`. */
  constructor(directory: string, by: string) {
    this.by = by;
    this.file = openSync(path.join(directory, `${by}-${threadId}.jsonl`), 'a');
  }

  write(entry: HistoryEntry): void {
    writeSync(this.file, `${JSON.stringify({ ...entry, by: this.by, at: Date.now() })}\n`);
  }
}
