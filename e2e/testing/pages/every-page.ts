import type { Page } from '@playwright/test';
import type { Api } from '../api.ts';
import { brokenPdf } from '../broken-files.ts';
import type { Papers } from '../papers.ts';

/** A page of the dashboard as a person sees it with something on it. */
export interface KnownPage {
  readonly name: string;
  readonly path: string;
  /** Resolves when what the page is for is on it. */
  readonly shown: (page: Page) => Promise<void>;
}

/** Gives the stack one completed document and one dead letter, and answers every page there is. */
export async function everyPage(api: Api, papers: Papers): Promise<readonly KnownPage[]> {
  const bytes = await papers.picture({ lines: ['A page for every page', 'and a second line on it'] });
  const [{ task_id: read }, { task_id: dead }] = await Promise.all([
    api.submit({ name: 'for-every-page.png', bytes }),
    api.submit({ name: 'dead-on-every-page.pdf', bytes: brokenPdf('every page') }),
  ]);
  await api.untilState(read, 'completed');
  await api.untilState(dead, 'dead_letter');
  return [
    { name: 'overview', path: '/', shown: (page) => page.locator('.tile-figure').first().waitFor() },
    { name: 'upload', path: '/upload', shown: (page) => page.locator('.drop-zone').waitFor() },
    { name: 'tasks', path: '/tasks', shown: (page) => page.getByText('for-every-page.png').first().waitFor() },
    { name: 'task', path: `/tasks/${read}`, shown: (page) => page.locator('.timeline').waitFor() },
    { name: 'dead task', path: `/tasks/${dead}`, shown: (page) => page.locator('.timeline').waitFor() },
    { name: 'reader', path: `/tasks/${read}/read`, shown: (page) => page.locator('.linked').first().waitFor() },
    {
      name: 'dead letters',
      path: '/dead-letters?code=corrupt_document',
      shown: (page) => page.locator('.dead-tasks tbody tr').first().waitFor(),
    },
    { name: 'system', path: '/system', shown: (page) => page.locator('.facts').first().waitFor() },
  ];
}
