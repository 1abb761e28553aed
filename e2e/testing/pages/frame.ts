import { expect, type Locator, type Page } from '@playwright/test';

/** Opens the commands of Ctrl K, ready to be typed into. */
export async function openPalette(page: Page): Promise<Locator> {
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await expect(palette.getByRole('combobox')).toBeFocused();
  return palette;
}

export async function runCommand(page: Page, name: string): Promise<void> {
  await openPalette(page);
  await page.keyboard.type(name);
  await page.getByRole('option', { name }).first().click();
}

/** Where the page says how it stands with the server. */
export function pill(page: Page): Locator {
  return page.locator('header .pill');
}

export async function expectLive(page: Page): Promise<void> {
  await expect(pill(page).filter({ hasText: /^Live$/ })).toBeVisible();
}

/** Sets what this browser remembers before any page is opened. */
export async function prefer(
  page: Page,
  preferences: { readonly theme?: 'light' | 'dark'; readonly language?: 'en' | 'zh' },
): Promise<void> {
  await page.addInitScript((text) => {
    if (localStorage.getItem('galley.preferences') === null) localStorage.setItem('galley.preferences', text);
  }, JSON.stringify(preferences));
}
