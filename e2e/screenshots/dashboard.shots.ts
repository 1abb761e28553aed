import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { Api } from '../testing/api.ts';
import { launchStack, type RunningStack } from '../testing/launch-stack.ts';
import { expectLive, openPalette, prefer } from '../testing/pages/frame.ts';
import { UploadPage } from '../testing/pages/upload-page.ts';
import { densePaper, makePapers } from '../testing/papers.ts';
import { serveWeb } from '../testing/web-server.ts';
import { keepBusy, plates, submitDocuments, submitLater, submitUnreadable } from './desk.ts';
import { makeDocuments } from './documents.ts';

const OUT = path.resolve(import.meta.dirname, '../test-results/screenshots');
const IMAGES = path.resolve(import.meta.dirname, '../../docs/images');
/** How long the queue works before its overview is taken, so that the charts show some minutes. */
const MINUTES = Number(process.env.SCREENSHOT_MINUTES ?? '6');
const BACKLOG = [
  { count: 1_600, priority: 'bulk', user_id: 'archive-import' },
  { count: 700, priority: 'normal', user_id: 'team-customs' },
  { count: 120, priority: 'high', user_id: 'team-claims' },
] as const;
/** Pictures that the documentation shows. */
const SHOWN = new Set(['overview', 'reader']);

interface Look {
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'zh';
  readonly width?: number;
  readonly height?: number;
  readonly whole?: boolean;
}

/** Takes pictures of one stack, each in a window of its own. */
class Camera {
  private readonly browser: Browser;
  private readonly address: string;

  constructor(browser: Browser, address: string) {
    this.browser = browser;
    this.address = address;
  }

  async open(address: string, { theme = 'light', language = 'en', width = 1440, height = 900 }: Look): Promise<Page> {
    const page = await this.browser.newPage({
      baseURL: this.address,
      viewport: { width, height },
      hasTouch: width < 720,
      reducedMotion: 'reduce',
    });
    await prefer(page, { theme, language });
    await page.goto(address);
    return page;
  }

  async save(page: Page, name: string, whole = false): Promise<void> {
    await page.evaluate(() => document.fonts.ready);
    // A window as high as the page: bars that stick to its edges stand where a person has them.
    const width = page.viewportSize()?.width ?? 1440;
    if (whole) await page.setViewportSize({ width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
    if (whole) await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true);
    await page.screenshot({ path: path.join(SHOWN.has(name) ? IMAGES : OUT, `${name}.png`) });
  }

  /** `ready`: resolves when what the picture is about is on the page. */
  async take(name: string, address: string, look: Look, ready: (page: Page) => Promise<unknown>): Promise<void> {
    const page = await this.open(address, look);
    try {
      await ready(page);
      await this.save(page, name, look.whole);
    } finally {
      await page.close();
    }
  }
}

const drawn = (page: Page): Promise<void> => page.locator('.recharts-surface').nth(3).waitFor();
/** Every picture in view is drawn, the small ones of the pages too. */
const pictured = async (page: Page): Promise<void> => {
  await page.locator('.stage img').waitFor();
  await expectLiveIn(page);
  // Decoded as well as loaded: what is not decoded yet is drawn blank.
  await expect(async () => {
    const drawn = await page
      .locator('.stage img, .thumbnail:nth-child(-n + 6) img')
      .evaluateAll((all) => Promise.all(all.map(async (image) => image instanceof HTMLImageElement && image.decode().then(() => true))));
    expect(drawn).not.toContain(false);
  }).toPass();
};

async function overviews(camera: Camera): Promise<void> {
  const live = async (page: Page): Promise<void> => {
    await expectLiveIn(page);
    await drawn(page);
  };
  await camera.take('overview', '/?range=15m', { whole: true }, live);
  await camera.take('overview-dark', '/?range=15m', { theme: 'dark', whole: true }, live);
  await camera.take('overview-zh', '/?range=15m', { language: 'zh', whole: true }, live);
  await camera.take('overview-1024', '/?range=15m', { width: 1024, whole: true }, live);
  await camera.take('overview-375', '/?range=15m', { width: 375, height: 812, whole: true }, live);
  await camera.take('chart-tooltip', '/?range=15m', {}, async (page) => {
    await live(page);
    const chart = page.locator('.chart-box').first();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('the chart is drawn');
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.locator('.chart-tooltip, .recharts-tooltip-wrapper').first().waitFor();
  });
  await camera.take('palette', '/', {}, async (page) => {
    await expectLiveIn(page);
    await openPalette(page);
    await page.keyboard.type('re');
    await page.getByRole('option').first().waitFor();
  });
}

async function expectLiveIn(page: Page): Promise<void> {
  await page.locator('header .pill--live').waitFor();
}

async function lists(camera: Camera): Promise<void> {
  const rows = async (page: Page): Promise<void> => {
    await page.getByRole('row').nth(3).waitFor();
    await expectLiveIn(page);
  };
  await camera.take('tasks', '/tasks?status=scheduled,pending,processing,retrying,waiting', {}, async (page) => {
    await rows(page);
    await page.getByRole('row').nth(3).hover();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+a');
    await page.getByText(/tasks that match the filter are selected/).waitFor();
  });
  await camera.take('tasks-plain', '/tasks', {}, rows);
  await camera.take('tasks-dark', '/tasks', { theme: 'dark' }, rows);
  await camera.take('tasks-zh', '/tasks', { language: 'zh' }, rows);
  await camera.take('tasks-375', '/tasks', { width: 375, height: 812 }, (page) =>
    page
      .getByText(/ledger-1987/)
      .nth(2)
      .waitFor(),
  );
  await camera.take('tasks-none', '/tasks?q=nothing-is-called-this', {}, (page) => page.getByText('No task matches').waitFor());
  const groups = (page: Page): Promise<void> => page.getByText('encrypted_document').first().waitFor();
  await camera.take('dead-letters', '/dead-letters?code=encrypted_document', {}, async (page) => {
    await groups(page);
    await page.locator('.dead-tasks tbody tr').nth(1).hover();
  });
  await camera.take('dead-letters-zh', '/dead-letters', { language: 'zh' }, groups);
  await camera.take('dead-letters-375', '/dead-letters', { width: 375, height: 812 }, groups);
  await camera.take('purge', '/dead-letters', { theme: 'dark' }, async (page) => {
    await groups(page);
    await page.getByRole('button', { name: 'Purge all' }).click();
    await page.getByRole('dialog').waitFor();
  });
  const facts = (page: Page): Promise<void> => page.getByText('Refuses writes').or(page.getByText('拒绝写入')).waitFor();
  await camera.take('system', '/system', { whole: true }, facts);
  await camera.take('system-dark', '/system', { theme: 'dark', whole: true }, facts);
  await camera.take('system-zh', '/system', { language: 'zh', whole: true }, facts);
  await camera.take('system-375', '/system', { width: 375, height: 812, whole: true }, facts);
}

async function readers(camera: Camera, ids: Awaited<ReturnType<typeof submitDocuments>>): Promise<void> {
  const invoice = `/tasks/${ids.scan}/read`;
  await camera.take('reader', `/tasks/${ids.invoices}/read?page=2`, {}, async (page) => {
    await pictured(page);
    await page.locator('.linked').filter({ hasText: 'Copper sealing washer' }).first().hover();
  });
  await camera.take('reader-scan', invoice, {}, pictured);
  await camera.take('reader-dark', invoice, { theme: 'dark' }, pictured);
  await camera.take('reader-zh', `/tasks/${ids.receipt}/read`, { language: 'zh' }, async (page) => {
    await pictured(page);
    await page.keyboard.press('b');
  });
  await camera.take('reader-failed-page', `/tasks/${ids.invoices}/read?page=4`, {}, (page) =>
    page
      .getByText(/Page 4 failed/)
      .first()
      .waitFor(),
  );
  await camera.take('reader-375', invoice, { width: 375, height: 812 }, pictured);
  await camera.take('reader-1024', invoice, { width: 1024, height: 768 }, pictured);
  await camera.take('task-done', `/tasks/${ids.invoices}`, {}, (page) => page.locator('.timeline').waitFor());
  await camera.take('task-zh', `/tasks/${ids.letter}`, { language: 'zh' }, (page) => page.locator('.timeline').waitFor());
}

async function runningTask(camera: Camera, api: Api, browser: Browser): Promise<void> {
  const { papers, close } = await makePapers(browser);
  try {
    const bytes = await papers.picture(densePaper('claims batch', 120));
    const { task_id: id } = await api.submit({ name: 'claims-batch-0931.png', bytes }, { priority: 'urgent', user_id: 'team-claims' });
    await api.untilState(id, 'processing');
    const ready = (page: Page): Promise<void> => page.locator('.lease-bar').waitFor();
    await camera.take('task', `/tasks/${id}`, {}, ready);
    await camera.take('task-375', `/tasks/${id}`, { width: 375, height: 812, whole: true }, (page) => page.locator('.timeline').waitFor());
  } finally {
    await close();
  }
}

async function uploads(camera: Camera): Promise<void> {
  const page = await camera.open('/upload', {});
  const upload = new UploadPage(page);
  await upload.set('Priority', 'Bulk');
  const files = plates(20_000, 1_000);
  const bad = [
    { name: 'thumbs.db', bytes: Buffer.from('not a picture at all') },
    { name: 'plate-0388.tif', bytes: Buffer.alloc(0) },
    { name: 'plate-0590 (1).pdf', bytes: files[3]?.bytes ?? Buffer.alloc(0) },
  ];
  await upload.add(...files.slice(0, 40), ...bad, ...files.slice(40));
  await expect.poll(async () => Number(await page.locator('.upload-count .type-figure-xl').innerText())).toBeGreaterThan(380);
  await camera.save(page, 'upload');
  await page.close();
  await camera.take('upload-empty', '/upload', {}, (empty) => empty.locator('.drop-zone').waitFor());
  await camera.take('upload-375', '/upload', { width: 375, height: 812 }, (empty) => empty.locator('.drop-zone').waitFor());
  await camera.take('drag-over', '/tasks', {}, async (over) => {
    await expectLiveIn(over);
    await over.evaluate(() => {
      const data = new DataTransfer();
      for (let n = 0; n < 214; n++) data.items.add(new File(['x'], `${n}.png`));
      document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer: data, bubbles: true }));
    });
    await over.locator('.global-drop').waitFor();
  });
}

async function lost(camera: Camera, stack: RunningStack): Promise<void> {
  const page = await camera.open('/?range=15m', {});
  await expectLiveIn(page);
  await drawn(page);
  const pid = stack.serverPid();
  if (pid === null) throw new Error('the server of the stack runs');
  process.kill(pid, 'SIGSTOP');
  try {
    await page.locator('.banners .alert').waitFor();
    await camera.save(page, 'connection-lost', true);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expectLive(page);
  await page.close();
}

test.beforeAll(async () => {
  await mkdir(OUT, { recursive: true });
});

test('a day at the desk', async ({ browser }) => {
  const stack = await launchStack({ GALLEY_WORKERS: '2', GALLEY_SLOTS: '2', GALLEY_ORDER: 'aging', GALLEY_URL_ALLOW: '127.0.0.1' });
  const site = await serveWeb((_request, response) => response.writeHead(404).end());
  let busy: (() => Promise<void>) | undefined;
  try {
    const api = new Api(stack.address);
    const camera = new Camera(browser, stack.address);
    await camera.take('first-run', '/', {}, (page) => page.getByText('Nothing in the tray yet').waitFor());
    const ids = await submitDocuments(api, await makeDocuments(browser));
    for (const id of Object.values(ids)) await api.untilState(id, 'completed');
    await submitUnreadable(api, site.origin);
    await submitLater(api, site.origin);
    let next = 1;
    for (const { count, ...fields } of BACKLOG) {
      for (const end = next + count; next < end; next += Math.min(100, end - next)) {
        await api.upload(plates(next, Math.min(100, end - next)), fields);
      }
    }
    const begun = Date.now();
    busy = keepBusy(api, next);
    await readers(camera, ids);
    await runningTask(camera, api, browser);
    await lists(camera);
    await expect
      .poll(() => Date.now() - begun, { timeout: MINUTES * 60_000 + 10_000, intervals: [1_000] })
      .toBeGreaterThan(MINUTES * 60_000);
    await overviews(camera);
    await uploads(camera);
    await busy();
    busy = undefined;
    await lost(camera, stack);
  } finally {
    // Whatever failed: nothing of the stack may be left.
    await Promise.allSettled([busy?.(), site.close()]);
    await stack.stop();
  }
});
