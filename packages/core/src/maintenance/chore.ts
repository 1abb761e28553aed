import type { Connection } from '../redis/connection.ts';
import { unlessAway } from '../redis/unless-away.ts';

/** Where chores and loops say what they met. pino's loggers fit. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Every loop of Galley: `start` begins, `stop` ends it and waits for what is under way, unless Redis is away. Both may be called twice. */
export interface Lifecycle {
  start(): void;
  stop(): Promise<void>;
}

export interface ChoreOptions {
  readonly name: string;
  readonly periodMs: number;
  readonly connection: Connection;
  readonly logger: Logger;
  /** One pass. True: there is more to do, so go on at once. A number: there will be nothing to do for so many milliseconds. */
  readonly pass: (signal: AbortSignal) => Promise<boolean | number>;
}

/** Runs a pass every period, never two at once, and never while Redis is away. */
export class Chore implements Lifecycle {
  private readonly options: ChoreOptions;
  private abort: AbortController | null = null;
  private running: Promise<void> = Promise.resolve();
  private wakeUp: (() => void) | null = null;
  /** Set while it pauses for longer than a period. */
  private shorten: (() => void) | null = null;

  constructor(options: ChoreOptions) {
    this.options = options;
  }

  start(): void {
    if (this.abort !== null) return;
    const abort = new AbortController();
    this.abort = abort;
    this.running = this.loop(abort.signal);
  }

  async stop(): Promise<void> {
    this.abort?.abort();
    this.wakeUp?.();
    await unlessAway(this.options.connection, this.running);
    this.abort = null;
  }

  /** There is something to do again, whatever the last pass has said: a rest ends within a period. */
  hasten(): void {
    this.shorten?.();
  }

  private async loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = await this.onePass(signal);
      if (next !== true && !signal.aborted) await this.pause(next === false ? this.options.periodMs : next);
    }
  }

  private async onePass(signal: AbortSignal): Promise<boolean | number> {
    if (!this.options.connection.isUp()) return false;
    try {
      return await this.options.pass(signal);
    } catch (error) {
      if (!signal.aborted)
        this.options.logger.warn({ err: error, chore: this.options.name }, 'a chore failed; it is tried again next period');
      return false;
    }
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wakeUp = null;
        this.shorten = null;
        resolve();
      };
      let timer = setTimeout(done, milliseconds);
      this.wakeUp = done;
      if (milliseconds <= this.options.periodMs) return;
      this.shorten = () => {
        clearTimeout(timer);
        timer = setTimeout(done, this.options.periodMs);
        this.shorten = null;
      };
    });
  }
}
