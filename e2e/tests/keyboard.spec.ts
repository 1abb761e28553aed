import type { Page } from '@playwright/test';
import { expect, test } from '../testing/fixtures.ts';
import { expectLive, openPalette } from '../testing/pages/frame.ts';

/** Presses Tab until the wish has the focus; answers how often, or fails past the limit. */
async function tabTo(page: Page, wish: (focused: { role: string; name: string }) => boolean, limit = 40): Promise<number> {
  const passed: string[] = [];
  for (let presses = 1; presses <= limit; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return {
        role: element?.getAttribute('role') ?? element?.tagName.toLowerCase() ?? '',
        name: element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '',
      };
    });
    if (wish(focused)) return presses;
    passed.push(`${focused.role} ${focused.name}`);
  }
  throw new Error(`Tab never came there; it passed ${passed.join(' | ')}`);
}

test('g and a letter go from page to page, and a screen reader lands on the title', async ({ page }) => {
  await page.goto('/');
  await expectLive(page);
  const ways = [
    ['t', '/tasks', 'Tasks'],
    ['u', '/upload', 'Upload'],
    ['d', '/dead-letters', 'Dead letters'],
    ['s', '/system', 'System'],
    ['o', '/', 'Overview'],
  ] as const;
  for (const [key, path, title] of ways) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect(page).toHaveURL((url) => url.pathname === path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeFocused();
    await expect(page).toHaveTitle(`${title} · Galley`);
  }
});

test('Ctrl K finds a page and a task by its name', async ({ page, api, papers }) => {
  const { task_id: id } = await api.submit({ name: 'zebra-crossing.png', bytes: await papers.picture({ lines: ['Zebra crossing'] }) });
  await page.goto('/');
  await expectLive(page);
  const palette = await openPalette(page);
  await page.keyboard.type('zebra');
  await expect(palette.getByRole('option', { name: /zebra-crossing\.png/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/tasks/${id}$`));
  await page.getByRole('heading', { level: 1, name: 'zebra-crossing.png' }).waitFor();

  await openPalette(page);
  await page.keyboard.type('dead letters');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/dead-letters$/);
});

test('a task that is opened from the list lands on its title', async ({ page, api, papers }) => {
  await api.submit({ name: 'lands-on-title.png', bytes: await papers.picture({ lines: ['Lands on its title'] }) });
  await page.goto('/tasks');
  await page.getByRole('row').filter({ hasText: 'lands-on-title.png' }).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'lands-on-title.png' })).toBeFocused();
});

test('Escape closes the palette and gives the focus back', async ({ page }) => {
  await page.goto('/');
  await expectLive(page);
  const field = page.getByRole('button', { name: /^Search tasks or run a command/ });
  await field.focus();
  const palette = await openPalette(page);
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(field).toBeFocused();
});

test('single keys are quiet in fields and behind dialogs; ? lists them', async ({ page }) => {
  await page.goto('/tasks');
  await expectLive(page);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('gd');
  await expect(page).toHaveURL((url) => url.pathname === '/tasks');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  await expect(help).toContainText('Search or run a command');
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await expect(help).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
});

test('Tab alone reaches the upload button, and the reader from a completed task', async ({ page, api, papers }) => {
  const { task_id: id } = await api.submit({ name: 'by-tab-alone.png', bytes: await papers.picture({ lines: ['By Tab alone'] }) });
  await api.untilState(id, 'completed');
  await page.goto('/upload');
  await expectLive(page);
  await tabTo(page, ({ name }) => name === 'Skip to the page', 1);
  await tabTo(page, ({ name }) => name === 'Choose files');
  const chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles([]);

  await page.goto(`/tasks/${id}`);
  await page.getByRole('heading', { level: 1, name: 'by-tab-alone.png' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  // Past the bars, on the page itself.
  await tabTo(page, ({ role, name }) => role === 'a' && name.startsWith('Read'), 12);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/tasks/${id}/read`));
  await expect(page.getByText('By Tab alone')).toBeVisible();
  await tabTo(page, ({ name }) => name.startsWith('Picture of page 1'));
  await tabTo(page, ({ role, name }) => role === 'tabpanel' && name === 'Text');
});

test('the skip link is the first stop and leads past the bars', async ({ page }) => {
  await page.goto('/');
  await expectLive(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the page' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('a dialog keeps the focus in it, and gives it back to what opened it', async ({ page, api, papers }) => {
  const { task_id: id } = await api.submit({ name: 'asked-about.png', bytes: await papers.picture({ lines: ['Asked about'] }) });
  await api.untilState(id, 'completed');
  await page.goto(`/tasks/${id}`);
  const opener = page.getByRole('button', { name: 'Delete' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete this task?' });
  await expect(dialog.getByRole('textbox')).toBeFocused();
  for (let presses = 0; presses < 5; presses++) {
    await page.keyboard.press('Tab');
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
});
