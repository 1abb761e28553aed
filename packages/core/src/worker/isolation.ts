interface Waiting {
  readonly alone: boolean;
  readonly enter: () => void;
}

/**
 * Lets runs go side by side, or one alone (DESIGN P6). Who waits to be alone is not overtaken: those that come later wait
 * until it has ended.
 */
export class Isolation {
  private together = 0;
  private alone = false;
  private waiting: Waiting[] = [];

  /** Whether something runs alone or waits for it, so that nothing new should be claimed. */
  get closed(): boolean {
    return this.alone || this.waiting.length > 0;
  }

  /** True: the run may begin now, and `leave` must follow when it has ended. */
  tryEnter(alone: boolean): boolean {
    if (this.waiting.length > 0 || !this.fits(alone)) return false;
    this.take(alone);
    return true;
  }

  /** True when its turn has come, as of `tryEnter`; false where the signal fired first. */
  enter(alone: boolean, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.tryEnter(alone)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.waiting = this.waiting.filter((other) => other !== own);
        resolve(false);
        this.admit();
      };
      const own: Waiting = {
        alone,
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        },
      };
      this.waiting.push(own);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(alone: boolean): void {
    if (alone) this.alone = false;
    else this.together--;
    this.admit();
  }

  private fits(alone: boolean): boolean {
    return !this.alone && (!alone || this.together === 0);
  }

  private take(alone: boolean): void {
    if (alone) this.alone = true;
    else this.together++;
  }

  private admit(): void {
    for (let next = this.waiting[0]; next !== undefined && this.fits(next.alone); next = this.waiting[0]) {
      this.waiting.shift();
      this.take(next.alone);
      next.enter();
    }
  }
}
