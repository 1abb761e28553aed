import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '../testing/fixtures.ts';
import { launchStack, type RunningStack } from '../testing/launch-stack.ts';
import { expectLive } from '../testing/pages/frame.ts';

const TOKENS = { admin: 'the-token-of-an-admin', viewer: 'the-token-of-a-viewer' } as const;

let stack: RunningStack;
let directory: string;
test.beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'galley-e2e-tokens-'));
  const file = path.join(directory, 'tokens');
  const line = (role: keyof typeof TOKENS): string => `${createHash('sha256').update(TOKENS[role]).digest('hex')} the-${role} ${role}`;
  await writeFile(file, [line('admin'), line('viewer')].join('\n'));
  stack = await launchStack({ GALLEY_WORKERS: '0', GALLEY_TOKENS_FILE: file });
});
test.afterAll(async () => {
  await stack.stop();
  await rm(directory, { recursive: true });
});

test('a token is asked for; a viewer sees no admin action, an admin does, and either leaves again', async ({ page, complaints }) => {
  complaints.allow(/status of 401/);
  const signIn = async (token: string): Promise<void> => {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await page.goto(`${stack.address}/dead-letters`);
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await signIn('nobodys-token');
  await expect(page.getByRole('alert')).toContainText('No such token is configured.');

  await signIn(TOKENS.viewer);
  await expectLive(page);
  await expect(page.getByText('No dead letters.')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page.getByText('the-viewer, viewer')).toBeVisible();
  await expect(page.getByText('Only an admin may read the audit.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pause');
  await expect(page.getByRole('option', { name: /Pause queue/ })).toHaveCount(0);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(TOKENS.admin);
  await expect(page.getByText('the-admin, admin')).toBeVisible();
  await expect(page.getByText('Only an admin may read the audit.')).toHaveCount(0);
});
