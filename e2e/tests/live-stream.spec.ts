import { Api } from '../testing/api.ts';
import { brokenPdf } from '../testing/broken-files.ts';
import { expect, test } from '../testing/fixtures.ts';
import { launchStack, type RunningStack } from '../testing/launch-stack.ts';
import { expectLive, pill } from '../testing/pages/frame.ts';

// A stack of its own, since its server is stopped; without workers, so that what waits in it keeps still.
let stack: RunningStack;
test.beforeAll(async () => {
  stack = await launchStack({ GALLEY_WORKERS: '0' });
  const api = new Api(stack.address);
  await api.submit({ name: 'waits.pdf', bytes: brokenPdf('waits') });
});
test.afterAll(() => stack.stop());

function serverPid(): number {
  const pid = stack.serverPid();
  if (pid === null) throw new Error('the server of the stack runs');
  return pid;
}

test('a stream that falls silent turns the pill, then greys what is no longer true; it comes back by itself', async ({ page }) => {
  await page.goto(stack.address);
  await expectLive(page);
  const figure = page.getByRole('link', { name: /^Pending/ }).locator('.tile-figure');
  await expect(figure).toHaveText('1');
  const colour = (): Promise<string> => figure.evaluate((element) => getComputedStyle(element).color);
  const soft = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.setAttribute('class', 'tile-line');
    probe.style.color = 'var(--ink-3)';
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
  const ink = await colour();
  expect(ink).not.toBe(soft);

  // A server that hangs keeps its connections: only silence tells.
  const frozen = serverPid();
  process.kill(frozen, 'SIGSTOP');
  try {
    await expect(pill(page)).toHaveText(/Offline for \d+ s/);
    const banner = page.locator('.banners');
    await expect(banner).toContainText('The live stream is away.');
    await expect(banner.getByText(/What you see is from \d\d:\d\d:\d\d and no longer changes\. Your tasks keep running\./)).toBeVisible();
    await expect.poll(colour).toBe(soft);
    await expect(page.getByRole('button', { name: 'Pause queue' })).toHaveAttribute('aria-disabled', 'true');
  } finally {
    process.kill(frozen, 'SIGCONT');
  }
  await expectLive(page);
  await expect(page.locator('.banners')).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: 'Live again' })).toBeAttached({ timeout: 15_000 });
  expect(await colour()).toBe(ink);
  await expect(page.getByRole('button', { name: 'Pause queue' })).not.toHaveAttribute('aria-disabled', 'true');
});

test('a server that is killed is started again, and the page finds it without a reload', async ({ page, complaints }) => {
  complaints.allow(/WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|status of 503/);
  await page.goto(stack.address);
  await expectLive(page);
  await page.evaluate(() => Object.assign(window, { neverLeft: true }));
  const killed = serverPid();
  const reconnected = page.waitForEvent('websocket', (socket) => socket.url().includes('/socket.io/'));
  process.kill(killed, 'SIGKILL');
  await reconnected;
  await expect.poll(() => stack.serverPid()).not.toBe(killed);
  const api = new Api(stack.address);
  await expect(async () => api.submit({ name: 'after.pdf', bytes: brokenPdf('after') })).toPass();
  await expect(page.getByRole('link', { name: /^Pending/ }).locator('.tile-figure')).toHaveText('2');
  await expectLive(page);
  expect(await page.evaluate(() => 'neverLeft' in window)).toBe(true);
});

test('an empty stack shows how to begin, and that no worker is alive', async ({ page }) => {
  const empty = await launchStack({ GALLEY_WORKERS: '0' });
  try {
    await page.goto(empty.address);
    await expect(page.getByText('Nothing in the tray yet')).toBeVisible();
    await expect(page.getByText('No worker yet')).toBeVisible();
    await page.getByRole('button', { name: 'Read a sample page' }).click();
    await expect(page).toHaveURL(/\/tasks\/.+\/read/);
    await expect(page.getByText('This page waits in line.')).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await expect(page.locator('.alerts').getByText('No worker is alive.')).toBeVisible();
  } finally {
    // Its pages would call a server that is gone.
    await page.close();
    await empty.stop();
  }
});
