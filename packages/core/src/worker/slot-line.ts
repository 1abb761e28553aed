interface Waiting {
  readonly score: number;
  readonly enter: (taken: boolean) => void;
}

/**
 * Hands out a worker's slots to claimed runs. With prefetch more runs may have been claimed than there are slots; they wait here, best
 * score first. Without it there is a slot for each.
 */
export class SlotLine {
  private free: number;
  private closed = false;
  /** By score; those of equal score in the order of their coming. */
  private line: Waiting[] = [];

  constructor(slots: number) {
    this.free = slots;
  }

  get waiting(): number {
    return this.line.length;
  }

  /** True: there was a slot, and `leave` must follow. */
  tryTake(): boolean {
    if (this.free === 0 || this.closed) return false;
    this.free--;
    return true;
  }

  /** True when a slot has come free, as of `tryTake`; false where the signal fired first or the line was closed. */
  take(score: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this.closed) return Promise.resolve(false);
    if (this.tryTake()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.line = this.line.filter((other) => other !== own);
        resolve(false);
      };
      const own: Waiting = {
        score,
        enter: (taken) => {
          signal.removeEventListener('abort', giveUp);
          resolve(taken);
        },
      };
      const behind = this.line.findIndex((other) => other.score > score);
      this.line.splice(behind < 0 ? this.line.length : behind, 0, own);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(): void {
    const next = this.line.shift();
    if (next === undefined) this.free++;
    else next.enter(true);
  }

  /** Sends away everyone who waits: a worker that stops begins nothing more. */
  close(): void {
    this.closed = true;
    for (const { enter } of this.line.splice(0)) enter(false);
  }
}
