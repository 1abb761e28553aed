/** Sleeps that a wake-up ends, also one that came just before. */
export class Sleeper {
  #woken = false;
  #wake: (() => void) | null = null;

  readonly wake = (): void => {
    this.#woken = true;
    this.#wake?.();
  };

  /** Until woken, or the time is over, or the signal is aborted; says nothing of which it was. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#woken || signal.aborted) {
      this.#woken = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#wake = null;
        this.#woken = false;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
    });
  }
}

/** The promise's value; rejects with the signal's reason as soon as that is aborted. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
