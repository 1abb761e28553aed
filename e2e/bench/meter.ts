import type { CDPSession, Page } from '@playwright/test';

/** What a page's main thread has done and holds. */
interface Reading {
  /** Seconds of CPU. */
  readonly busy: number;
  /** After a garbage collection. */
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export interface Cost {
  readonly seconds: number;
  /** Of one core, 0–1. */
  readonly share: number;
  readonly before: Reading;
  readonly after: Reading;
  /** Sum of unexpected layout shifts, as in CLS. */
  readonly shifted: number;
  readonly movers: readonly string[];
}

export interface Interaction {
  /** What the person did. */
  readonly step: string;
  readonly event: string;
  /** From the event to the next paint, ms, in steps of 8. */
  readonly duration: number;
  /** Of it, in handlers. */
  readonly handled: number;
}

/** What the page writes down. */
interface Seen {
  step: string;
  shifted: number;
  /** The elements that moved, by their class. */
  readonly movers: string[];
  readonly interactions: Interaction[];
}

/** Reads what Chromium itself counts of a page. */
export class Meter {
  private readonly page: Page;
  private readonly session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.session = session;
  }

  /** Before the page is opened: interactions and shifts are counted from its first moment. */
  static async on(page: Page): Promise<Meter> {
    const session = await page.context().newCDPSession(page);
    // The thread's own clock: how busy the machine is otherwise does not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(() => {
      const seen: Seen = { step: 'before', shifted: 0, movers: [], interactions: [] };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (!('value' in entry) || typeof entry.value !== 'number' || ('hadRecentInput' in entry && entry.hadRecentInput === true))
            continue;
          seen.shifted += entry.value;
          if (!('sources' in entry) || !Array.isArray(entry.sources)) continue;
          for (const { node } of entry.sources)
            if (node instanceof Element) seen.movers.push(`${node.tagName.toLowerCase()}.${node.className}`);
        }
      }).observe({ type: 'layout-shift', buffered: true });
      const events: PerformanceObserverInit & { durationThreshold: number } = { type: 'event', buffered: true, durationThreshold: 16 };
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          // Those without an id are the pointer's own comings and goings, which nobody waits for.
          if (!(entry instanceof PerformanceEventTiming) || !('interactionId' in entry) || entry.interactionId === 0) continue;
          seen.interactions.push({
            step: seen.step,
            event: entry.name,
            duration: entry.duration,
            handled: entry.processingEnd - entry.processingStart,
          });
        }
      }).observe(events);
    });
    return new Meter(page, session);
  }

  /** What it costs to leave the page open for so long while `meanwhile` goes on. */
  async measure(seconds: number, meanwhile: () => Promise<unknown>): Promise<Cost> {
    const shiftedBefore = await this.shifted();
    await this.page.evaluate('window.seen.movers.length = 0');
    const before = await this.read();
    const start = performance.now();
    const until = start + seconds * 1_000;
    for (let next = start; next < until; next += 1_000) {
      await meanwhile();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next + 1_000 - performance.now())));
    }
    const busy = await this.busy();
    const took = (performance.now() - start) / 1_000;
    const after = await this.read();
    return {
      seconds: took,
      share: (busy - before.busy) / took,
      before,
      after,
      shifted: (await this.shifted()) - shiftedBefore,
      movers: await this.page.evaluate<string[]>('window.seen.movers'),
    };
  }

  /** Names what the person does next. */
  async step(name: string): Promise<void> {
    await this.page.evaluate((step) => Object.assign(Reflect.get(window, 'seen') ?? {}, { step }), name);
  }

  /** Every interaction so far that took 16 ms or more, slowest first. */
  async interactions(): Promise<Interaction[]> {
    const seen = await this.page.evaluate<Interaction[]>('window.seen.interactions');
    return seen.toSorted((a, b) => b.duration - a.duration);
  }

  private async shifted(): Promise<number> {
    return this.page.evaluate<number>('window.seen.shifted');
  }

  private async metrics(): Promise<Map<string, number>> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    return new Map(metrics.map(({ name, value }) => [name, value]));
  }

  private async busy(): Promise<number> {
    return (await this.metrics()).get('TaskDuration') ?? 0;
  }

  private async read(): Promise<Reading> {
    await this.session.send('HeapProfiler.collectGarbage');
    const metrics = await this.metrics();
    return {
      busy: metrics.get('TaskDuration') ?? 0,
      heapBytes: metrics.get('JSHeapUsedSize') ?? 0,
      nodes: metrics.get('Nodes') ?? 0,
      listeners: metrics.get('JSEventListeners') ?? 0,
    };
  }
}
