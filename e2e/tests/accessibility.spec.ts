import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { Api } from '../testing/api.ts';
import { expect, test } from '../testing/fixtures.ts';
import { everyPage, type KnownPage } from '../testing/pages/every-page.ts';
import { expectLive, openPalette, prefer } from '../testing/pages/frame.ts';

let pages: readonly KnownPage[];
test.beforeAll(async ({ baseURL, papers }) => {
  pages = await everyPage(new Api(baseURL ?? ''), papers);
});

/** What axe finds, short enough to read. */
async function findings(page: Page, narrow: (axe: AxeBuilder) => AxeBuilder = (axe) => axe): Promise<readonly string[]> {
  const { violations } = await narrow(new AxeBuilder({ page })).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

test('every page has one title, landmarks, its language, and nothing that axe finds', async ({ page }) => {
  await prefer(page, { theme: 'light' });
  for (const { name, path, shown } of pages) {
    await page.goto(path);
    await shown(page);
    await expectLive(page);
    await expect.soft(page.getByRole('heading', { level: 1 }), name).toHaveCount(1);
    await expect.soft(page.getByRole('main'), name).toHaveCount(1);
    await expect.soft(page.getByRole('navigation', { name: 'Pages' }), name).toHaveCount(1);
    await expect.soft(page.locator('html'), name).toHaveAttribute('lang', 'en');
    await expect.soft(page, name).toHaveTitle(/Galley/);
    await expect.soft(page.locator('html'), name).toHaveAttribute('data-theme', 'light');
    expect.soft(await findings(page), name).toEqual([]);
  }
});

// A language changes words alone and a theme colours alone: with English in light and Chinese in dark, all four are looked at.
test('in Chinese and dark, nothing that axe finds either', async ({ page }) => {
  await prefer(page, { theme: 'dark', language: 'zh' });
  for (const { name, path, shown } of pages) {
    await page.goto(path);
    await shown(page);
    await expect(page.locator('header .pill--live'), name).toBeVisible();
    await expect.soft(page.locator('html'), name).toHaveAttribute('data-theme', 'dark');
    await expect.soft(page.locator('html'), name).toHaveAttribute('lang', 'zh-CN');
    expect.soft(await findings(page), name).toEqual([]);
  }
});

test('on a phone nothing scrolls sideways, at 375 px and at 320 px, and axe finds nothing', async ({ page }) => {
  for (const { name, path, shown } of pages) {
    await page.setViewportSize({ width: 375, height: 740 });
    await page.goto(path);
    await shown(page);
    // The colours are those of the desk, and looking at each of them is slow.
    expect.soft(await findings(page, (axe) => axe.disableRules(['color-contrast'])), name).toEqual([]);
    for (const width of [375, 320]) {
      await page.setViewportSize({ width, height: 740 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect.soft(wide, `${name} at ${width} px`).toBeLessThanOrEqual(width);
    }
  }
});

/** What opens over a page, each on the page where it is at home; closed again by Escape. */
const FLOATING: readonly { readonly name: string; readonly path: string; readonly open: (page: Page) => Promise<unknown> }[] = [
  { name: 'the palette', path: '/', open: (page) => openPalette(page) },
  { name: 'the list of keys', path: '/', open: (page) => page.keyboard.press('?') },
  {
    name: 'the question before a purge',
    path: '/dead-letters',
    open: (page) => page.getByRole('button', { name: 'Purge all' }).click(),
  },
  { name: 'a filter', path: '/tasks', open: (page) => page.getByRole('button', { name: 'State' }).click() },
];

test('axe finds nothing in what opens over a page, and Escape gives the page back', async ({ page }) => {
  for (const { name, path, open } of FLOATING) {
    if (new URL(page.url()).pathname !== path) {
      await page.goto(path);
      await expectLive(page);
    }
    await open(page);
    const floating = page.getByRole('dialog').or(page.getByRole('menu'));
    await expect(floating, name).toBeVisible();
    await expect(floating, name).toHaveCSS('opacity', '1');
    const isDialog = (await page.getByRole('dialog').count()) > 0;
    // Behind a dialog stands a page that has been looked at; a menu is a part of its page.
    const narrow = (axe: AxeBuilder): AxeBuilder => (isDialog ? axe.include('[role=dialog]') : axe);
    expect.soft(await findings(page, narrow), name).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(floating, name).toBeHidden();
  }
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'x.png'));
    document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer: data, bubbles: true }));
  });
  await expect(page.getByText(/Drop to upload/)).toBeVisible();
  expect.soft(await findings(page), 'dragging files over the page').toEqual([]);
});
