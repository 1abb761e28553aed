import { expect, test } from '@playwright/test';

test('the page opens', async ({ page }) => {
  const response = await page.goto('/');
  expect(response?.status()).toBe(200);
  await expect(page).toHaveTitle(/Galley/);
});
