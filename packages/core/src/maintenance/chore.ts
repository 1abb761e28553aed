import type { Connection } from '../redis/connection.ts';

/** Where chores and loops say what they met. pino's loggers fit. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Every loop of Galley: `start` begins, `stop` ends it and waits for what is under way. Both may be called twice. */
export interface Lifecycle {
  start(): void;
  stop(): Promise<void>;
}

export interface ChoreOptions {
  readonly name: string;
  readonly periodMs: number;
  readonly connection: Connection;
  readonly logger: Logger;
  /** One pass. True: there is more to do, so go on at once. */
  readonly pass: (signal: AbortSignal) => Promise<boolean>;
}

/** Runs a pass every period, never two at once, and never while Redis is away. */
export class Chore implements Lifecycle {
  private readonly options: ChoreOptions;
  private abort: AbortController | null = null;
  private running: Promise<void> = Promise.resolve();
  private wakeUp: (() => void) | null = null;

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
    await this.running;
    this.abort = null;
  }

  private async loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const more = await this.onePass(signal);
      if (!more && !signal.aborted) await this.pause(this.options.periodMs);
    }
  }

  private async onePass(signal: AbortSignal): Promise<boolean> {
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
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.wakeUp = done;
    });
  }
}
