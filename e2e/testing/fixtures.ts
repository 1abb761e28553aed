import { test as base, type ConsoleMessage, type Page } from '@playwright/test';
import { Api } from './api.ts';
import { makePapers, type Papers } from './papers.ts';

interface TestFixtures {
  /** The API of the stack that tests share. */
  readonly api: Api;
  /** What a page of this test wrote to its console as an error, and what its content policy stopped; a test ends red when any is left. */
  readonly complaints: Complaints;
}

interface WorkerFixtures {
  readonly papers: Papers;
}

/** Errors that pages of a test have shown. */
export class Complaints {
  private readonly seen: string[] = [];
  private readonly expected: RegExp[] = [];

  /** Hears everything that goes wrong in a page from here on. */
  watch(page: Page): void {
    page.on('console', (message: ConsoleMessage) => {
      // Chromium reports a stopped resource as an error of the console too.
      if (message.type() === 'error') this.seen.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.seen.push(String(error)));
  }

  /** What this test brings about on purpose. */
  allow(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  get left(): string[] {
    return this.seen.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
  }
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  papers: [
    async ({ browser }, use) => {
      const { papers, close } = await makePapers(browser);
      await use(papers);
      await close();
    },
    { scope: 'worker' },
  ],
  api: async ({ baseURL }, use) => {
    await use(new Api(baseURL ?? ''));
  },
  complaints: [
    async ({ context }, use) => {
      const complaints = new Complaints();
      context.on('page', (page) => complaints.watch(page));
      await use(complaints);
      base.expect(complaints.left, 'errors in the console of the page').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';
