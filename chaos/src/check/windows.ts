/** Spans of time, in milliseconds since the epoch. */
export class Windows {
  private readonly spans: { readonly from: number; readonly to: number }[] = [];

  add(from: number, to: number): void {
    this.spans.push({ from, to });
  }

  /** Whether any of them touches this span. */
  touch(from: number, to: number): boolean {
    return this.spans.some((span) => span.from <= to && span.to >= from);
  }
}
