export const MESSAGES_PER_WINDOW = 500;
const WINDOW_MS = 10_000;

/** How many messages a client may still send: each may cost several reads of Redis. */
export class MessageBudget {
  private readonly now: () => number;
  private windowFrom: number;
  private spent = 0;

  /** `now`: milliseconds that never jump. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.windowFrom = now();
  }

  /** False where the client has sent too much within ten seconds. */
  spend(): boolean {
    if (this.now() - this.windowFrom >= WINDOW_MS) {
      this.windowFrom = this.now();
      this.spent = 0;
    }
    this.spent++;
    return this.spent <= MESSAGES_PER_WINDOW;
  }
}
