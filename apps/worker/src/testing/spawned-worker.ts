import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';

/** One line of a worker's log. */
const logLineSchema = z.record(z.string(), z.unknown());
export type LogLine = z.infer<typeof logLineSchema>;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A worker process of the built program, as the launcher starts it. */
export class SpawnedWorker {
  readonly child: ChildProcess;
  readonly lines: LogLine[] = [];
  readonly ended: Promise<Ending>;
  readonly #listeners = new Set<() => void>();
  #stderr = '';
  #hasEnded = false;

  constructor(environment: Readonly<Record<string, string>>) {
    const { PATH = '' } = process.env;
    this.child = spawn(process.execPath, [MAIN], { env: { PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    let pending = '';
    const { stdout, stderr } = this.child;
    if (stdout === null || stderr === null) throw new Error('the worker was started without its output');
    stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      this.lines.push(...lines.map((line) => logLineSchema.parse(JSON.parse(line))));
      this.#tell();
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    // Not the event 'close': it never comes once the channel has been disconnected from this side.
    this.ended = Promise.all([once(this.child, 'exit'), once(stdout, 'close'), once(stderr, 'close')]).then(([[code, signal]]) => {
      this.#hasEnded = true;
      this.#tell();
      return { code, signal, stderr: this.#stderr };
    });
  }

  /** Resolves with the first line that fits, said already or still to come. Throws when the process ends without it. */
  async said(fits: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const line = this.lines.find(fits);
      if (line !== undefined) return line;
      if (this.#hasEnded) throw new Error(`the worker ended without saying it; its stderr: ${this.#stderr}`);
      await new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  started(): Promise<LogLine> {
    return this.said((line) => line['event'] === 'worker started');
  }

  holds(taskId: string): Promise<LogLine> {
    return this.said((line) => line['event'] === 'lock acquired' && line['task'] === taskId);
  }

  released(taskId: string): Promise<LogLine> {
    return this.said((line) => line['event'] === 'lock released' && line['task'] === taskId);
  }

  async stop(): Promise<Ending> {
    this.child.kill('SIGTERM');
    return await this.ended;
  }

  async kill9(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
