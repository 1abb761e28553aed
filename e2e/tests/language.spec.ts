import type { Page } from '@playwright/test';
import { Api } from '../testing/api.ts';
import { expect, test } from '../testing/fixtures.ts';
import { everyPage, type KnownPage } from '../testing/pages/every-page.ts';
import { expectLive, prefer } from '../testing/pages/frame.ts';

/** What stays as it is in every language: the name, queues, keys, and what a language calls itself. */
const STAYS = /Galley|ocr|Ctrl K|English|curl/g;

/** Words that a person sees or hears in the frame around every page. */
function frameWords(page: Page): Promise<string[]> {
  return page.locator('.skip-link, .side-bar, header.top-bar, .bottom-bar').evaluateAll((parts) =>
    parts.flatMap((part) => {
      const elements = [part, ...part.querySelectorAll('*')].filter((element) => element.closest('.file-name') === null);
      const texts = elements.flatMap((element) => {
        const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent ?? '');
        return [...own, element.getAttribute('aria-label') ?? '', element.getAttribute('placeholder') ?? ''];
      });
      return texts.map((text) => text.trim()).filter((text) => text !== '');
    }),
  );
}

/** Words of the page that nobody typed or named: no file names, ids, codes or times. */
function pageWords(page: Page): Promise<string[]> {
  return page.locator('main').evaluate((main) => {
    const foreign = 'code, pre, [lang=en], .file-name, .id, .linked, kbd, time, option, textarea';
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const texts: string[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element?.closest(foreign) === null && element.checkVisibility()) texts.push(node.textContent?.trim() ?? '');
    }
    return texts.filter((text) => text !== '');
  });
}

/** Three Latin words in a row are a sentence that nobody translated. */
function untranslated(words: readonly string[]): string[] {
  return words.filter((text) => /[a-z]+ [a-z]+ [a-z]+/i.test(text) && !/[\u4e00-\u9fff]/.test(text));
}

function latin(words: readonly string[]): string[] {
  return words.filter((text) => /[A-Za-z]{2,}/.test(text.replace(STAYS, '')));
}

/** Latin punctuation behind a Chinese character, where only full width belongs. */
async function halfWidth(page: Page): Promise<readonly string[]> {
  return (await page.locator('main').innerText()).match(/.*[\u4e00-\u9fff][.,;!?](?!\S).*/g) ?? [];
}

test('choosing 中文 changes every word of the frame at once, and a reload keeps it', async ({ page }) => {
  await page.goto('/');
  await expectLive(page);
  expect(latin(await frameWords(page)).length, 'in English there are words to change').toBeGreaterThan(8);
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/);
  await expect(page.getByRole('heading', { level: 1, name: '总览' })).toBeVisible();
  await expect(page.locator('.menu-item')).toHaveCount(0);
  expect(latin(await frameWords(page))).toEqual([]);
  await expect(page.getByText('实时', { exact: true })).toBeVisible();

  await page.reload();
  await expect(page.getByRole('navigation', { name: '页面' })).toContainText('死信');
  await page.getByRole('button', { name: '语言' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
});

test.describe('in Chinese', () => {
  let pages: readonly KnownPage[];
  test.beforeAll(async ({ baseURL, papers }) => {
    pages = await everyPage(new Api(baseURL ?? ''), papers);
  });

  test('no page says a sentence in English', async ({ page }) => {
    await prefer(page, { language: 'zh' });
    for (const { name, path, shown } of pages) {
      await page.goto(path);
      await shown(page);
      expect.soft(latin(await frameWords(page)), name).toEqual([]);
      expect.soft(untranslated(await pageWords(page)), name).toEqual([]);
      expect.soft(await halfWidth(page), name).toEqual([]);
      if (name !== 'dead task') continue;
      await page.getByRole('tab', { name: '错误' }).click();
      await expect(page.locator('.error-remedy')).toContainText('文件已损坏。');
      expect.soft(await halfWidth(page), 'its errors').toEqual([]);
    }
  });
});
