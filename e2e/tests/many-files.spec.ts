import type { Page } from '@playwright/test';
import { Api, type TestFile } from '../testing/api.ts';
import { textNamedPng } from '../testing/broken-files.ts';
import { expect, test } from '../testing/fixtures.ts';
import { launchStack, type RunningStack } from '../testing/launch-stack.ts';
import { expectLive, pill } from '../testing/pages/frame.ts';
import { UploadPage } from '../testing/pages/upload-page.ts';
import { folderOf, plate, plateName } from '../testing/plates.ts';

// One story on a stack of its own, without workers: what has been taken waits in line and keeps still.
test.describe.configure({ mode: 'serial' });

const ALL = 1_000;
const TAKEN = ALL - 2;

let stack: RunningStack;
let api: Api;
test.beforeAll(async () => {
  stack = await launchStack({ GALLEY_WORKERS: '0' });
  api = new Api(stack.address);
});
test.afterAll(() => stack.stop());

/** How many files of the list have their answer. */
async function answered(page: Page): Promise<number> {
  return Number((await page.locator('.upload-count .type-figure-xl').innerText()).replaceAll(',', ''));
}

function part(page: Page, name: string): Promise<string> {
  return page.locator('.upload-totals li').filter({ hasText: name }).innerText();
}

function pendingTile(page: Page) {
  return page.getByRole('link', { name: /^Pending/ }).locator('.tile-figure');
}

test('a folder of 1,000 files goes up; it pauses, warns who leaves, goes on, and tells what became of each', async ({
  page,
  complaints,
}) => {
  test.setTimeout(150_000);
  complaints.allow(/status of 415.*\/api\/v1\/documents/);
  const files: TestFile[] = Array.from({ length: TAKEN }, (_, index) => plate(plateName(index + 1)));
  const copy = { name: 'plate-0001 (1).png', bytes: plate(plateName(1)).bytes };
  const folder = await folderOf([...files, copy, { name: 'thumbs.png', bytes: textNamedPng('thumbs') }]);
  try {
    await page.goto(`${stack.address}/upload`);
    await expectLive(page);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await (await chooser).setFiles(folder.path);
    await expect.poll(() => answered(page)).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await expect(page.locator('.upload-speed')).toHaveText('Paused');
    const held = await answered(page);
    expect(held).toBeLessThan(ALL);

    const question = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const asked = await question;
    expect(asked.type()).toBe('beforeunload');
    await asked.dismiss();
    await expect(page.locator('.upload-speed')).toHaveText('Paused');
    expect(await answered(page), 'nothing goes up meanwhile').toBe(held);

    await page.getByRole('button', { name: 'Resume' }).click();
    // On another page of the dashboard it goes on.
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await expect(pendingTile(page)).toHaveText(TAKEN.toLocaleString('en-US'), { timeout: 90_000 });
    await page.getByRole('banner').getByRole('link', { name: 'Upload' }).click();
    await expect(page.locator('.upload-speed')).toHaveText('All answered');
    expect(await answered(page)).toBe(ALL);
    expect(await part(page, 'Accepted')).toContain(String(TAKEN));
    expect(await part(page, 'Duplicates')).toContain('1');
    expect(await part(page, 'Refused')).toContain('1');
    const upload = new UploadPage(page);
    await page.getByRole('tab', { name: /^Needs a look/ }).click();
    await expect(upload.row('plate-0001 (1).png')).toContainText(/Same as plate-0001(?: \(1\))?\.png/);
    await expect(upload.row('thumbs.png')).toContainText('Not an image or PDF');
    expect((await api.queue()).counts.pending).toBe(TAKEN);
  } finally {
    await folder.remove();
  }
});

test('what was dropped on the way is sent again, the rest is stopped and sent after all, and a pasted picture is taken on any page', async ({
  page,
  complaints,
}) => {
  complaints.allow(/ERR_FAILED/);
  await page.goto(`${stack.address}/upload`);
  await expectLive(page);
  const upload = new UploadPage(page);
  await page.route('**/api/v1/documents', (route) => route.abort());
  await upload.add(plate('lost-on-the-way.png'));
  await expect(upload.row('lost-on-the-way.png')).toContainText('Connection dropped');
  await page.unroute('**/api/v1/documents');
  await page.getByRole('button', { name: /^Retry failed/ }).click();
  await expect(upload.row('lost-on-the-way.png')).toContainText('Pending');

  await page.route('**/api/v1/documents', () => undefined);
  await upload.add(...[1, 2, 3, 4, 5, 6].map((n) => plate(`not-now-${n}.png`)));
  await page.getByRole('button', { name: 'Cancel rest' }).click();
  await expect(upload.row('not-now-6.png')).toContainText('Stopped');
  await page.unroute('**/api/v1/documents');
  await page.getByRole('button', { name: /^Upload the rest/ }).click();
  for (const n of [1, 6]) await expect(upload.row(`not-now-${n}.png`)).toContainText('Pending');

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await page.evaluate(
    (bytes) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }));
      window.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    },
    [...plate('pasted.png').bytes],
  );
  await expect(page).toHaveURL(/\/upload$/);
  await expect(upload.row('pasted.png')).toContainText('Pending');
  await expect.poll(async () => (await api.queue()).counts.pending).toBe(TAKEN + 8);
});

test('a range of the history is chosen, and a reload shows what the server counted', async ({ page }) => {
  await page.goto(stack.address);
  await expectLive(page);
  await page.getByRole('radio', { name: '15 min' }).check({ force: true });
  await expect(page).toHaveURL(/range=15m/);
  await page.reload();
  await expectLive(page);
  await page.getByRole('figure').filter({ hasText: 'Throughput' }).getByRole('button', { name: 'View as table' }).click();
  const rows = page.getByRole('dialog', { name: 'Throughput' }).getByRole('row');
  const submitted = (): Promise<number> =>
    rows.evaluateAll((all) => all.slice(1).reduce((sum, row) => sum + Number(row.children[1]?.textContent?.replaceAll(',', '')), 0));
  // The minute under way is told by its rate, which is near the count and not the same.
  await expect.poll(submitted).toBeGreaterThan(TAKEN / 4);
});

test('an admin sets when the overview warns; it warns by it, and the audit says who changed what', async ({ page }) => {
  await page.goto(`${stack.address}/system`);
  await expect(page.getByText(/^(Redis|Valkey) \d+\.\d+/)).toBeVisible();
  await expect(page.getByText('Refuses writes, loses nothing (noeviction)')).toBeVisible();
  await expect(page.getByText('Before each answer (always)')).toBeVisible();
  await expect(page.getByText('GALLEY_LEASE_MS')).toBeVisible();
  const save = page.getByRole('button', { name: 'Save' });
  const field = page.getByLabel('Old backlog after');
  await field.fill('none');
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('From 0.1 to 43200.')).toBeVisible();
  await field.fill('0.1');
  await save.click();
  await expect(page.getByRole('row').filter({ hasText: 'set_alerts' })).toContainText('backlog_old_ms 600000 → 6000');
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await expect(page.locator('.alerts')).toContainText('The oldest pending task has waited');
});

test('what one dashboard does the other shows: a pause, a new task, and tasks that end', async ({ page, context }) => {
  const other = await context.newPage();
  await page.goto(stack.address);
  await other.goto(`${stack.address}/tasks?status=pending`);
  for (const one of [page, other]) await expectLive(one);
  await page.getByRole('button', { name: 'Pause queue' }).click();
  await expect(pill(other).filter({ hasText: 'Queue paused' })).toBeVisible();
  await expect(page.locator('.alerts').getByText('Queue ocr is paused.')).toBeVisible();

  // A new task is told of and moves nothing.
  const first = other.locator('.task-rows tbody tr').first();
  const before = await first.getAttribute('data-key');
  const { task_id: id } = await api.submit(plate('seen-by-both.png'));
  await expect(other.getByRole('button', { name: '1 new task' })).toBeVisible();
  expect(await first.getAttribute('data-key')).toBe(before);
  await other.getByRole('button', { name: '1 new task' }).click();
  await expect(other.getByRole('row').filter({ hasText: 'seen-by-both.png' })).toContainText('Pending');

  // What ends on one page changes in place on the other.
  await page.goto(`${stack.address}/tasks/${id}`);
  await page.getByRole('main').getByRole('button', { name: 'Cancel task' }).click();
  await page.getByRole('dialog', { name: 'Cancel this task?' }).getByRole('button', { name: 'Cancel task' }).click();
  await expect(other.getByRole('row').filter({ hasText: 'seen-by-both.png' })).toContainText('Cancelled');
  await other.goto(stack.address);
  await other.locator('.alerts').getByRole('button', { name: 'Resume' }).click();
  await expect(pill(page).filter({ hasText: 'Queue paused' })).toBeHidden();
});

test('by keyboard alone: rows are chosen, moved to another priority, and everything that matches is cancelled', async ({ page }) => {
  await page.goto(`${stack.address}/tasks?status=pending&q=plate-`);
  await expectLive(page);
  const rows = page.locator('.task-rows tbody tr');
  await expect(rows.first()).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(page.getByText('3 selected')).toBeVisible();
  await page.keyboard.press('p');
  await page.getByRole('menuitem', { name: /Urgent/ }).waitFor();
  await page.keyboard.type('Urg');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Move 3 tasks to Urgent 1?' })).toBeVisible();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('3 tasks have their new priority').first()).toBeVisible();
  await expect.poll(async () => (await api.queue()).pending_by_band.urgent).toBe(3);

  await page.keyboard.press('Control+a');
  await expect(page.getByText(/tasks shown are selected/)).toBeVisible();
  await page.keyboard.press('Control+a');
  await expect(page.getByText(/that match the filter are selected/)).toBeVisible();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: /^Cancel/ });
  const phrase = (await dialog.locator('label strong').innerText()).trim();
  await page.keyboard.type(phrase);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect.poll(async () => (await api.queue()).counts.cancelled, { timeout: 30_000 }).toBe(TAKEN + 1);
  await expect(page.getByText(`${TAKEN} tasks are cancelled`).first()).toBeVisible();
  expect((await api.queue()).counts.pending, 'what did not match waits on').toBe(8);
});
