import { Child } from './child.ts';
import type { SubmitMessage, SubmitOrder, SubmitReport } from './messages.ts';

/** A submit process: ready, then started, then reports and ends. */
export class Submitter {
  private readonly child: Child<SubmitMessage>;
  private readonly report: Promise<SubmitReport>;

  private constructor(child: Child<SubmitMessage>) {
    this.child = child;
    this.report = child.next('report');
    // Who awaits `finished` hears of it; until then it must not count as unhandled.
    this.report.catch(() => {});
  }

  static async open(order: SubmitOrder): Promise<Submitter> {
    const child = new Child<SubmitMessage>('submit-process.js', order);
    await child.next('ready');
    return new Submitter(child);
  }

  start(): void {
    this.child.send('start');
  }

  async finished(): Promise<SubmitReport> {
    try {
      return await this.report;
    } finally {
      await this.child.end();
    }
  }
}

/** Submits and waits for it, where the cost does not matter. */
export async function submitAll(order: SubmitOrder): Promise<SubmitReport> {
  const submitter = await Submitter.open(order);
  submitter.start();
  return submitter.finished();
}
