import { readFile } from 'node:fs/promises';
import { documentResultSchema } from '@galley/contract';
import { folded } from '../testing/api.ts';
import { expect, test } from '../testing/fixtures.ts';
import { ReaderPage } from '../testing/pages/reader-page.ts';
import { UploadPage } from '../testing/pages/upload-page.ts';
import { densePaper } from '../testing/papers.ts';

const VERSE = ['The first line says what it is about', 'the second goes a little further', 'and the third one ends it'];

test('the same file again is told as the same, and leads to the task that is there', async ({ page, api, papers }) => {
  const bytes = await papers.picture({ lines: ['Twice the same page'] });
  const upload = new UploadPage(page);
  await upload.open();
  await upload.add({ name: 'original.png', bytes });
  await expect(upload.row('original.png')).toContainText('Completed');
  const id = await upload.taskId('original.png');
  await upload.add({ name: 'copy-of-it.png', bytes });
  const copy = upload.row('copy-of-it.png');
  await expect(copy).toContainText('Same as original.png');
  expect(await upload.taskId('copy-of-it.png')).toBe(id);
  await copy.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/tasks/${id}`));

  // Asked to, the server reads it again.
  await page.goBack();
  await upload.set('Duplicates', 'Read again');
  await upload.add({ name: 'read-it-again.png', bytes });
  await expect(upload.row('read-it-again.png')).toContainText('Completed');
  const again = await upload.taskId('read-it-again.png');
  expect(again).not.toBe(id);
  expect((await api.task(again)).status).toBe('completed');
});

test('the first page of a long document is readable while later ones still run', async ({ page, api, papers }) => {
  const numbers = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten', 'Eleven', 'Twelve'];
  const sheets = numbers.map((number) => ({ lines: [`Chapter ${number} begins on this page`, ...VERSE] }));
  const upload = new UploadPage(page);
  await upload.open();
  await upload.set('Engine', /^onnx$/);
  await upload.add({ name: 'twelve-chapters.pdf', bytes: await papers.pdf(sheets) });
  const row = upload.row('twelve-chapters.pdf');
  await expect(row).toContainText(/\b[1-9] of 12 pages/, { timeout: 30_000 });
  // The later pages wait, however quick the machine is.
  await api.pause();
  const reader = new ReaderPage(page);
  try {
    await row.getByRole('link').click();
    const id = /\/tasks\/([^/?]+)/.exec(page.url())?.[1] ?? '';
    await reader.open(id);
    await expect(reader.thumbnails).toHaveCount(12);
    await reader.expectText('Chapter One begins on this page');
    await reader.expectPicture();
    await expect(page.getByText(/^\d+ of 12 pages read/)).toBeVisible();
  } finally {
    await api.resume();
  }

  await expect(page.getByText('12 pages', { exact: true })).toBeVisible({ timeout: 45_000 });
  for (const [index, number] of numbers.entries()) {
    await reader.thumbnails.nth(index).click();
    await reader.expectText(`Chapter ${number} begins on this page`);
  }
});

test('the result downloads in every form that is offered', async ({ page, api, papers }) => {
  const lines = ['A result to take home', 'in more than one form'];
  const { task_id: id } = await api.submit({ name: 'take-home.png', bytes: await papers.picture({ lines }) });
  await api.untilState(id, 'completed');
  const reader = new ReaderPage(page);
  await reader.open(id);
  await reader.expectText(lines[0] ?? '');

  const download = async (form: string): Promise<{ name: string; text: string }> => {
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: form, exact: true }).click();
    const file = await coming;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  };
  const json = await download('JSON');
  expect(json.name).toBe('take-home.json');
  const [first] = documentResultSchema.parse(JSON.parse(json.text)).pages;
  expect(folded(first?.blocks.map(({ text }) => text).join(' ') ?? '')).toBe(lines.join(' '));
  const text = await download('Plain text');
  expect(text.name).toBe('take-home.txt');
  expect(folded(text.text)).toBe(lines.join(' '));
  const markdown = await download('Markdown');
  expect(markdown.name).toBe('take-home.md');
  expect(folded(markdown.text)).toContain(lines[1]);
});

test('a running task is cancelled from its page, at once and for good', async ({ page, api, papers }) => {
  const bytes = await papers.picture(densePaper('to be cancelled', 80));
  await api.untilIdle(2);
  const { task_id: id } = await api.submit({ name: 'cancel-me.png', bytes });
  await api.untilState(id, 'processing');
  await page.goto(`/tasks/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'Cancel task' }).click();
  await page.getByRole('dialog', { name: 'Cancel this task?' }).getByRole('button', { name: 'Cancel task' }).click();
  await expect(page.locator('.page-head .badge')).toHaveText('Cancelled');
  const cancelled = await api.untilState(id, 'cancelled');
  // The worker is free again: its thread has stopped.
  await api.untilIdle(2);
  expect(await api.task(id)).toMatchObject({ status: 'cancelled', fence: cancelled.fence });
  const result = await api.call('getTaskResult', { parameters: { id } });
  expect(result).toMatchObject({ status: 409, body: { code: 'task_cancelled' } });
});
