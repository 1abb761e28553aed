import { type Deadline, deadlines } from './deadlines.ts';

/** When a caller stops waiting: after a time, or when its signal is aborted. Costs little as long as neither comes. */
export class Limit {
  readonly #outer: AbortSignal | undefined;
  readonly #deadline: Deadline;
  #controller: AbortController | null = null;
  #over: Error | null = null;
  #onOver: ((reason: Error) => void) | null = null;

  constructor(milliseconds: number, outer: AbortSignal | undefined, reason: () => Error) {
    this.#outer = outer;
    this.#deadline = deadlines.add(milliseconds, () => this.#reach(reason()));
    outer?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over !== null) this.#controller.abort(this.#over);
    return this.#controller.signal;
  }

  /** The promise's value, unless the limit comes first: then it rejects, and `discard` gets the value when it comes. */
  race<Value>(promise: Promise<Value>, discard: (late: Value) => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#onOver = reject;
      if (this.#over !== null) reject(this.#over);
      promise.then(
        (value) => {
          if (this.#over !== null) discard(value);
          resolve(value);
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }

  end(): void {
    deadlines.remove(this.#deadline);
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#outer?.reason;
    this.#reach(reason instanceof Error ? reason : new Error(String(reason)));
  };

  #reach(reason: Error): void {
    this.#over ??= reason;
    this.#onOver?.(reason);
    this.#controller?.abort(reason);
  }
}
