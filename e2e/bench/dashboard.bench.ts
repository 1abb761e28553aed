import os from 'node:os';
import { submitTasksSchema } from '@galley/contract';
import { expect, type Page, test } from '@playwright/test';
import { Api } from '../testing/api.ts';
import { launchStack } from '../testing/launch-stack.ts';
import { expectLive, openPalette } from '../testing/pages/frame.ts';
import { type Cost, type Interaction, Meter } from './meter.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? '60');
const ROWS = 10_000;
const ROW_PX = 40;
const SHARE_WANTED = 0.05;
const DELAY_WANTED_MS = 100;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

function tell(name: string, { seconds, share, before, after, shifted, movers }: Cost): void {
  console.log(
    [
      '',
      `${name}, open for ${seconds.toFixed(0)} s with an update a second (load of the machine ${os.loadavg()[0]?.toFixed(1)})`,
      `  main thread   ${percent(share)} of a core (wanted: under ${percent(SHARE_WANTED)})`,
      `  heap          ${megabytes(before.heapBytes)} → ${megabytes(after.heapBytes)}`,
      `  nodes         ${before.nodes} → ${after.nodes}, listeners ${before.listeners} → ${after.listeners}`,
      `  layout shift  ${shifted.toFixed(4)}${movers.length === 0 ? '' : `, by ${[...new Set(movers)].join(', ')}`}`,
    ].join('\n'),
  );
}

async function submitMany(api: Api, count: number, from: number): Promise<void> {
  const tasks = Array.from({ length: count }, (_, index) => ({
    image_url: `https://pictures.example/plate-${from + index}.png`,
    priority: ['bulk', 'normal', 'high'][index % 3],
    user_id: 'archive-import',
  }));
  const { status, body } = await api.call('submitTasks', { body: { tasks } });
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(202);
  expect(submitTasksSchema.parse(body).tasks).toHaveLength(count);
}

/** Scrolls to the end again and again until so many rows have been read. */
async function loadRows(page: Page, rows: number): Promise<void> {
  await expect
    .poll(
      () =>
        page.evaluate(() => {
          window.scrollTo(0, document.documentElement.scrollHeight);
          return document.documentElement.scrollHeight;
        }),
      { timeout: 240_000, intervals: [50] },
    )
    .toBeGreaterThan(rows * ROW_PX);
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
}

/** What a person does on the list. */
async function interact(page: Page, meter: Meter): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  await meter.step('moving by keys');
  for (let press = 0; press < 8; press++) await page.keyboard.press('j');
  await meter.step('selecting rows');
  await page.keyboard.press('x');
  for (let press = 0; press < 4; press++) await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await meter.step('selecting all rows');
  await page.keyboard.press('Control+a');
  await page.getByText(/tasks shown are selected/).waitFor();
  await meter.step('clearing the selection');
  await page.keyboard.press('Escape');
  await page.getByText(/tasks shown are selected/).waitFor({ state: 'hidden' });
  await meter.step('opening a filter');
  await page.getByRole('button', { name: 'State' }).click();
  await page.getByRole('menuitemcheckbox', { name: /Completed/ }).waitFor();
  await page.keyboard.press('Escape');
  await meter.step('the palette');
  await openPalette(page);
  await page.keyboard.type('plate-12');
  await page.keyboard.press('Escape');
  await meter.step('the theme');
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await meter.step('the language');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('heading', { level: 1, name: '任务' }).waitFor();
}

function tellInteractions(interactions: readonly Interaction[]): void {
  const slowest = new Map<string, Interaction>();
  for (const one of interactions) if (!slowest.has(one.step)) slowest.set(one.step, one);
  console.log(`  interactions  wanted: under ${DELAY_WANTED_MS} ms to the next paint; the slowest of each step:`);
  for (const { step, event, duration, handled } of slowest.values()) {
    console.log(`                ${step}: ${duration.toFixed(0)} ms (${event}, ${handled.toFixed(0)} ms in handlers)`);
  }
}

test('an open dashboard', async ({ page }) => {
  const stack = await launchStack({ GALLEY_WORKERS: '0' });
  try {
    const api = new Api(stack.address);
    for (let from = 0; from < ROWS + 500; from += 3_500) await submitMany(api, 3_500, from);
    let next = 1_000_000;
    const update = (): Promise<void> => submitMany(api, 3, (next += 3));

    const meter = await Meter.on(page);
    await page.goto(`${stack.address}/tasks`);
    await expectLive(page);
    await loadRows(page, ROWS);
    tell(`Tasks with ${ROWS.toLocaleString('en-US')} rows`, await meter.measure(SECONDS, update));
    await interact(page, meter);
    tellInteractions(await meter.interactions());

    await page.goto(`${stack.address}/?range=1h`);
    await page.locator('.recharts-surface').nth(3).waitFor();
    tell('Overview', await meter.measure(SECONDS, update));
  } finally {
    await page.close();
    await stack.stop();
  }
});
