import { folded } from '../testing/api.ts';
import { expect, test } from '../testing/fixtures.ts';
import { expectLive, pill, runCommand } from '../testing/pages/frame.ts';
import { ReaderPage } from '../testing/pages/reader-page.ts';
import { UploadPage } from '../testing/pages/upload-page.ts';
import { densePaper } from '../testing/papers.ts';
import { PHOTOTEST, PHOTOTEST_MISSING } from '../testing/samples.ts';

test.afterEach(({ api }) => api.resume());

test('an urgent file runs before bulk ones that came first, live on the page, and its text is read beside its picture', async ({
  page,
  api,
  papers,
}) => {
  const lines = ['Urgent dispatch from the night desk', 'The harbour opens at seven in the morning', 'Signed by the keeper of the lights'];
  const urgent = { name: 'night-dispatch.png', bytes: await papers.picture({ lines }) };
  const names = ['ledger-one.png', 'ledger-two.png', 'ledger-three.png'];
  const bulk = await Promise.all(names.map(async (name) => ({ name, bytes: await papers.picture(densePaper(name, 6)) })));
  // The overview of a queue that has never seen a task shows how to begin instead of its controls.
  await api.submit({ name: 'first-of-all.png', bytes: await papers.picture({ lines: ['first of all'] }) });

  await page.goto('/');
  await expectLive(page);
  await page.getByRole('button', { name: 'Pause queue' }).click();
  await expect(pill(page).filter({ hasText: 'Queue paused' })).toBeVisible();
  await api.untilIdle(2);

  await page.getByRole('banner').getByRole('link', { name: 'Upload' }).click();
  const upload = new UploadPage(page);
  await upload.set('Priority', 'Bulk');
  await upload.add(...bulk);
  for (const { name } of bulk) await expect(upload.row(name)).toContainText('Pending');
  await upload.set('Priority', 'Urgent');
  await upload.add(urgent);
  await expect(upload.row(urgent.name)).toContainText('Pending');
  await page.evaluate(() => Object.assign(window, { neverLeft: true }));

  const states = await upload.recordStates(urgent.name);
  await runCommand(page, 'Resume queue ocr');
  await expect(pill(page).filter({ hasText: 'Queue paused' })).toBeHidden();
  for (const { name } of [urgent, ...bulk]) await expect(upload.row(name)).toContainText('Completed', { timeout: 45_000 });
  expect(await states()).toEqual(['Pending', 'Processing', 'Completed']);
  expect(await page.evaluate(() => 'neverLeft' in window), 'the page was never loaded again').toBe(true);

  const first = await api.task(await upload.taskId(urgent.name));
  const others = await Promise.all(bulk.map(async ({ name }) => api.task(await upload.taskId(name))));
  const starts = others.map((task) => Date.parse(task.started_at ?? ''));
  const urgentStart = Date.parse(first.started_at ?? '');
  expect(first.priority).toBe(1);
  expect(others.map(({ priority }) => priority)).toEqual([1000, 1000, 1000]);
  expect(Math.min(...starts), 'no bulk file began before the urgent one').toBeGreaterThanOrEqual(urgentStart);
  expect(Math.max(...starts), 'with two slots, the third bulk file began after it').toBeGreaterThan(urgentStart);

  await upload.row(urgent.name).getByRole('link', { name: /^Read/ }).click();
  const reader = new ReaderPage(page);
  await reader.expectPicture();
  for (const line of lines) await reader.expectText(line);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(urgent.name);
});

test('boxes and text light each other, by hover and by click', async ({ page, api, papers }) => {
  const lines = ['Alpha stands at the top', 'Bravo stands under it', 'Charlie ends the page'];
  const { task_id: id } = await api.submit({ name: 'linked.png', bytes: await papers.picture({ lines, letter: 40 }) });
  await api.untilState(id, 'completed');
  const reader = new ReaderPage(page);
  await reader.open(id);
  await reader.expectPicture();
  await reader.expectText('Bravo stands under it');

  const bravo = await reader.link('Bravo');
  await bravo.piece.hover();
  await expect(bravo.box).toHaveClass(/is-lit/);
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(bravo.box).not.toHaveClass(/is-lit/);
  await bravo.box.hover();
  await expect(bravo.piece).toHaveClass(/is-lit/);

  // A click keeps both lit when the pointer has gone; Escape frees them.
  const charlie = await reader.link('Charlie');
  await charlie.box.click();
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(charlie.piece).toHaveClass(/is-lit/);
  await page.keyboard.press('Escape');
  await expect(charlie.piece).not.toHaveClass(/is-lit/);
});

test('every line has its box where the picture shows it', async ({ page, api, papers }) => {
  const bytes = await papers.picture({ lines: ['A line at the very top', '&nbsp;', '&nbsp;', 'A line at the very bottom'], letter: 40 });
  const { task_id: id } = await api.submit({ name: 'places.png', bytes });
  await api.untilState(id, 'completed');
  const reader = new ReaderPage(page);
  await reader.open(id);
  await reader.expectPicture();
  const picture = await reader.picture.boundingBox();
  const top = await (await reader.link('very top')).box.boundingBox();
  const bottom = await (await reader.link('very bottom')).box.boundingBox();
  if (picture === null || top === null || bottom === null) throw new Error('the picture and its boxes are drawn');
  const middle = (box: { y: number; height: number }): number => (box.y + box.height / 2 - picture.y) / picture.height;
  // Four lines of 64 px between margins of 48 px.
  expect(middle(top)).toBeCloseTo(80 / 352, 1);
  expect(middle(bottom)).toBeCloseTo(272 / 352, 1);
});

test('phototest.tif is uploaded on the page and reads exactly as it should', async ({ page, api }) => {
  test.skip(PHOTOTEST === null, PHOTOTEST_MISSING);
  if (PHOTOTEST === null) return;
  const upload = new UploadPage(page);
  await upload.open();
  await upload.add(PHOTOTEST);
  await expect(upload.row(PHOTOTEST.name)).toContainText('Completed', { timeout: 45_000 });
  const id = await upload.taskId(PHOTOTEST.name);
  expect(folded(await api.text(id))).toBe(folded(PHOTOTEST.text));
  await upload.row(PHOTOTEST.name).getByRole('link', { name: /^Read/ }).click();
  const reader = new ReaderPage(page);
  await reader.expectPicture();
  await reader.expectText(PHOTOTEST.text);
  expect(await reader.boxes.count()).toBeGreaterThan(0);
});
