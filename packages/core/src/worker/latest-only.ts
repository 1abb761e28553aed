/**
 * Passes on the latest of many values, at most one in `gapMs` milliseconds, so that whoever tells a million of them buries nobody.
 * The first is passed on at once, and the last is not forgotten.
 */
export class LatestOnly<Value> {
  private readonly gapMs: number;
  private readonly pass: (value: Value) => void;
  private readonly now: () => number;
  private passedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;

  constructor(gapMs: number, pass: (value: Value) => void, now: () => number = () => performance.now()) {
    this.gapMs = gapMs;
    this.pass = pass;
    this.now = now;
  }

  tell(value: Value): void {
    clearTimeout(this.timer);
    const wait = this.passedAt + this.gapMs - this.now();
    // Who computes on and on lets no timer fire, so it is looked at here too.
    if (wait <= 0) this.passNow(value);
    else this.timer = setTimeout(() => this.passNow(value), wait);
  }

  /** What is still held back is nobody's business any more. */
  end(): void {
    clearTimeout(this.timer);
  }

  private passNow(value: Value): void {
    this.passedAt = this.now();
    this.pass(value);
  }
}
