export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets a loop rest until something rings; what rang since it last began to look is not missed. */
export class WakeUp {
  private rung = false;
  private end: (() => void) | null = null;

  ring(): void {
    this.rung = true;
    this.end?.();
  }

  /** To be called before looking: what rings from now on is news. */
  clear(): void {
    this.rung = false;
  }

  /** Resolves after `ms` milliseconds, when something rings, or at once where it has rung since `clear`. */
  rest(ms: number): Promise<void> {
    if (this.rung) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.end = null;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.end = end;
    });
  }
}
