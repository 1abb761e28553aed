import { documentResultSchema } from '@galley/contract';
import { expect, test } from '../testing/fixtures.ts';
import { ReaderPage } from '../testing/pages/reader-page.ts';
import { textPdf } from '../testing/text-pdf.ts';

const HUGE = [10_000, 10_000] as const;

test('the picture turns, zooms and shows its boxes by kind, by confidence or not at all; the page is copied', async ({
  page,
  api,
  papers,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const lines = ['A page to be turned about', 'with a second line on it'];
  const { task_id: id } = await api.submit({ name: 'turned.png', bytes: await papers.picture({ lines }) });
  await api.untilState(id, 'completed');
  const reader = new ReaderPage(page);
  await reader.open(id);
  await reader.expectPicture();
  await reader.expectText(lines[0] ?? '');
  const shape = async (): Promise<number> => {
    const box = await reader.picture.boundingBox();
    return box === null ? 0 : box.width / box.height;
  };
  expect(await shape()).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Rotate' }).click();
  await expect.poll(shape).toBeLessThan(1);
  for (let turn = 0; turn < 3; turn++) await page.keyboard.press('Shift+R');
  await expect.poll(shape).toBeGreaterThan(1);

  const width = async (): Promise<number> => (await reader.picture.boundingBox())?.width ?? 0;
  const before = await width();
  await page.keyboard.press('+');
  await expect.poll(width).toBeGreaterThan(before);
  await page.keyboard.press('h');
  await page.keyboard.press('w');
  await expect.poll(width).toBeCloseTo(before, 0);

  const legend = page.locator('.legend');
  await expect(legend).toContainText('Text');
  await expect(page.locator('svg.overlay .box')).not.toHaveCount(0);
  await page.keyboard.press('b');
  await expect(legend).toContainText('0.95');
  await page.keyboard.press('b');
  await expect(legend).toBeHidden();
  await expect(page.locator('svg.overlay .box')).toHaveCount(0);

  await page.keyboard.press('Shift+C');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(lines[1]);
});

test('words are found on any page; a page that failed says why, and is tried again while the others can be read', async ({ page, api }) => {
  const sheet = (words: string) => ({ lines: [words, 'and nothing else of note'] });
  const bytes = textPdf([
    sheet('The first of five'),
    sheet('A heron'),
    { ...sheet('Too large'), size: HUGE },
    sheet('Another'),
    sheet('The heron again'),
  ]);
  const { task_id: id } = await api.submit({ name: 'five-sheets.pdf', bytes });
  await api.untilState(id, 'completed');
  const reader = new ReaderPage(page);
  await reader.open(id);
  await reader.expectText('The first of five');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('heron');
  const count = page.locator('.text-search-count');
  await expect(count).toHaveText('1 of 2');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/page=2/);
  await reader.expectText('A heron');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/page=5/);
  await expect(page.locator('mark').first()).toHaveText(/heron/i);

  await reader.thumbnails.nth(2).click();
  await expect(page.getByText('Page 3 failed: page_too_large').first()).toBeVisible();
  await expect(page.getByText(/the limit is 100\.0 million/)).toBeVisible();
  const failed = await api.task(`${id}.00003`);
  await page.getByRole('main').getByRole('button', { name: 'Retry page' }).click();
  await expect(page.getByText('Page 3 is back in line').first()).toBeVisible();
  await api.until(`${id}.00003`, 'failed again', ({ status, fence }) => status === 'dead_letter' && fence > failed.fence);
  await api.untilState(id, 'completed');
  const answer = await api.call('getTaskResult', { parameters: { id } });
  expect(documentResultSchema.parse(answer.body).pages.map(({ error }) => error?.code ?? null)).toEqual([
    null,
    null,
    'page_too_large',
    null,
    null,
  ]);
  await api.purgeDeadLetters();
});
