import { expect, test } from '../testing/fixtures.ts';
import { serveWeb, type WebServer } from '../testing/web-server.ts';

let site: WebServer;
test.beforeAll(async () => {
  site = await serveWeb((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>elsewhere</title><p>Somebody else’s page');
  });
});
test.afterAll(() => site.close());

test('a page of another site can neither upload nor act nor read', async ({ page, api, papers, complaints }) => {
  // What the browser itself keeps from the page is noted in its console.
  complaints.allow(/CORS policy|ERR_FAILED|ERR_BLOCKED_BY_RESPONSE|status of 403/);
  const bytes = [...(await papers.picture({ lines: ['Sent by somebody else'] }))];
  const addresses = { upload: api.url('submitDocuments'), pause: api.url('pauseQueue'), queue: api.url('getQueue') };
  for (const origin of [site.origin, site.origin.replace('127.0.0.1', 'localhost')]) {
    await page.goto(origin);
    const before = (await api.queue()).counts;
    const outcomes = await page.evaluate(
      async ({ upload, pause, queue, picture }) => {
        const outcome = (address: string, options: RequestInit): Promise<string> =>
          fetch(address, options).then(
            ({ status }) => `answered ${status}`,
            () => 'kept away',
          );
        const form = new FormData();
        form.append('file', new Blob([new Uint8Array(picture)]), 'forged.png');
        return {
          upload: await outcome(upload, { method: 'POST', body: form, mode: 'no-cors' }),
          pause: await outcome(pause, { method: 'POST', mode: 'no-cors' }),
          read: await outcome(queue, {}),
        };
      },
      { ...addresses, picture: bytes },
    );
    expect(outcomes).toEqual({ upload: 'kept away', pause: 'kept away', read: 'kept away' });
    const now = await api.queue();
    expect(now.paused).toBe(false);
    expect(now.counts, 'the picture was not taken').toEqual(before);
  }
  // The same bytes are taken from the server's own page.
  await page.goto('/upload');
  const status = await page.evaluate(
    async ({ upload, picture }) => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(picture)]), 'own.png');
      return (await fetch(upload, { method: 'POST', body: form })).status;
    },
    { ...addresses, picture: bytes },
  );
  expect(status).toBe(202);
});

test('a form of another site that posts to the API gets a refusal and changes nothing', async ({ page, api, complaints }) => {
  complaints.allow(/status of 403/);
  await page.goto(site.origin);
  const answered = page.waitForResponse((response) => response.url() === api.url('pauseQueue'));
  await page.evaluate((address) => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = address;
    document.body.append(form);
    form.submit();
  }, api.url('pauseQueue'));
  expect((await answered).status()).toBe(403);
  expect((await api.queue()).paused).toBe(false);
});

test('a page of another site cannot open the live socket, by either transport', async ({ page, baseURL, complaints }) => {
  complaints.allow(/WebSocket connection to|CORS policy|ERR_FAILED|status of 403/);
  const address = `${baseURL}/socket.io/?EIO=4&transport=`;
  const open = (from: string): Promise<string> =>
    page.goto(from).then(() =>
      page.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(url);
            socket.addEventListener('open', () => resolve('open'));
            socket.addEventListener('error', () => resolve('refused'));
          }),
        `${address.replace('http:', 'ws:')}websocket`,
      ),
    );
  expect(await open(`${baseURL}/`), 'its own page may').toBe('open');
  expect(await open(site.origin)).toBe('refused');
  const polled = page.waitForResponse((response) => response.url().startsWith(`${address}polling`));
  await page.evaluate((url) => fetch(url, { mode: 'no-cors' }), `${address}polling`);
  expect((await polled).status()).toBe(403);
});

test('a name that somebody points at this machine opens nothing, and the page cannot be framed', async ({ page, baseURL, complaints }) => {
  const { port } = new URL(baseURL ?? '');
  const answer = await page.request.get(`${baseURL}/api/v1/queue`, { headers: { host: `rebound.example:${port}` } });
  expect(answer.status()).toBe(403);
  expect(await answer.json()).toMatchObject({ code: 'host_not_allowed' });

  complaints.allow(/frame-ancestors|Refused to frame|X-Frame-Options/);
  await page.goto(site.origin);
  await page.evaluate((address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    document.body.append(frame);
    return new Promise((resolve) => frame.addEventListener('load', resolve));
  }, `${baseURL}/`);
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  await expect(framed?.getByText('Galley') ?? page.getByText('Galley')).toHaveCount(0);
});
