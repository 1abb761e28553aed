import { pageResultSchema } from '@galley/contract';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { decodedPage } from '../decode/decoded-page.ts';
import type { PagePicture } from '../picture.ts';
import { type Behaviour, GlmOcrServer } from '../testing/glm-ocr-server.ts';
import { createGlmOcr, endpointOf, GLM_OCR_PROTOCOLS, type GlmOcrOptions } from './glm-ocr.ts';

let server: GlmOcrServer;
beforeAll(async () => {
  server = await GlmOcrServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.next.length = 0;
});

/** A white page with a black bar across it: `ink` rows of a hundred. */
function pictureWith(ink: number): PagePicture {
  const [width, height] = [200, 100];
  const pixels = new Uint8Array(width * height * 3).fill(255);
  pixels.fill(0, 0, ink * width * 3);
  return { page: 7, width, height, source: 'image', pixels };
}

const printed = decodedPage(pictureWith(10));
const engine = (options: Partial<GlmOcrOptions> = {}) => createGlmOcr({ address: server.address, timeoutMs: 5_000, ...options });

test('chat sends the picture and the words that vLLM and SGLang take, and makes blocks of the Markdown', async () => {
  server.next.push({
    kind: 'answer',
    text: '# Bill of lading\n\nTwo sacks\nof flour\n\n- wheat\n- rye\n\n| a | b |\n|---|---|\n| 1 | 2 |',
  });
  const result = pageResultSchema.parse(await engine({ key: 'a-key' }).recognise(printed));
  const [request] = server.requests;
  expect(request).toMatchObject({ path: '/v1/chat/completions', authorization: 'Bearer a-key' });
  expect(request?.body).toMatchObject({ model: 'glm-ocr', max_tokens: 8192, temperature: 0 });
  const { messages } = z.object({ messages: z.array(z.object({ role: z.string(), content: z.array(z.unknown()) })) }).parse(request?.body);
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,/) } },
        { type: 'text', text: 'Text Recognition:' },
      ],
    },
  ]);
  expect(result).toMatchObject({ page: 7, width: 200, height: 100, angle: 0, source: 'image', engine: 'glm-ocr' });
  expect(result.blocks.map(({ type, text, rows }) => [type, rows ?? text])).toEqual([
    ['title', 'Bill of lading'],
    ['text', 'Two sacks\nof flour'],
    ['list', 'wheat\nrye'],
    [
      'table',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
  ]);
  expect(result.blocks.every(({ bbox, lines }) => bbox.every((side) => side === 0) && lines.length === 0)).toBe(true);
  expect(result.markdown).toBe('# Bill of lading\n\nTwo sacks\nof flour\n\n- wheat\n- rye\n\n| a | b |\n| --- | --- |\n| 1 | 2 |');
  expect(result.warnings).toBeUndefined();
});

test.each([
  ['table', 'Table Recognition:'],
  ['formula', 'Formula Recognition:'],
] as const)('the task %s has its own words', async (task, words) => {
  await engine({ task, model: 'served-name' }).recognise(printed);
  expect(JSON.stringify(server.requests[0]?.body)).toContain(words);
  expect(server.requests[0]?.body).toMatchObject({ model: 'served-name' });
});

test('parse sends the images and takes the boxes of the layout in pixels of the page', async () => {
  server.next.push({
    kind: 'regions',
    regions: [
      { label: 'text', native_label: 'doc_title', content: 'Bill of lading', bbox_2d: [100, 0, 900, 105] },
      { label: 'table', content: '<table><tr><td>a</td><td>b</td></tr></table>', bbox_2d: [0, 500, 1000, 1200] },
      { label: 'image', content: '', bbox_2d: [500, 200, 600, 300] },
    ],
  });
  const result = pageResultSchema.parse(await engine({ protocol: 'parse' }).recognise(printed));
  expect(server.requests[0]?.path).toBe('/glmocr/parse');
  expect(server.requests[0]?.body).toEqual({ images: [expect.stringMatching(/^data:image\/jpeg;base64,/)] });
  expect(result.blocks).toMatchObject([
    { id: 1, type: 'title', text: 'Bill of lading', bbox: [20, 0, 180, 11] },
    { id: 2, type: 'table', rows: [['a', 'b']], bbox: [0, 50, 200, 100] },
    { id: 3, type: 'figure', text: '', bbox: [100, 20, 120, 30] },
  ]);
  expect(result.markdown).toBe('## Bill of lading\n\n| a | b |\n| --- | --- |');
});

const LATE_MS = 300;

/** What each protocol's failures are: class by code (DESIGN P7), and how long may pass. */
const MISBEHAVIOURS: readonly [name: string, behaviour: Behaviour, code: string][] = [
  ['is silent', { kind: 'silence' }, 'upstream_failed'],
  ['drips for ever', { kind: 'drip' }, 'upstream_failed'],
  ['answers 500', { kind: 'status', status: 500 }, 'upstream_failed'],
  ['answers 503', { kind: 'status', status: 503 }, 'upstream_failed'],
  ['answers 408', { kind: 'status', status: 408 }, 'upstream_failed'],
  ['answers 429', { kind: 'status', status: 429 }, 'upstream_rate_limited'],
  ['answers 400', { kind: 'status', status: 400 }, 'upstream_rejected'],
  ['answers 401', { kind: 'status', status: 401 }, 'upstream_rejected'],
  ['answers 404', { kind: 'status', status: 404 }, 'upstream_rejected'],
  ['sends elsewhere', { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'upstream_rejected'],
  ['answers nothing at all', { kind: 'body', body: '' }, 'upstream_failed'],
  ['answers an empty text', { kind: 'answer', text: '' }, 'upstream_failed'],
  ['answers no JSON', { kind: 'body', body: '<html>502</html>' }, 'upstream_failed'],
  ['answers other JSON', { kind: 'body', body: '{"choices":"none","json_result":7}' }, 'upstream_failed'],
  ['cuts the connection', { kind: 'cut' }, 'upstream_failed'],
];

for (const protocol of GLM_OCR_PROTOCOLS) {
  test.each(MISBEHAVIOURS)(`a ${protocol} server that %s ends as its class of error within its time`, async (_name, behaviour, code) => {
    server.next.push(behaviour);
    const begun = performance.now();
    await expect(engine({ protocol, timeoutMs: LATE_MS }).recognise(printed)).rejects.toMatchObject({ name: 'GalleyError', code });
    expect(performance.now() - begun).toBeLessThan(LATE_MS + 5_000);
    await server.until(() => server.open === 0);
  });
}

test('a server that is not there is an error worth another try', async () => {
  const gone = await GlmOcrServer.start();
  const { address } = gone;
  await gone.close();
  await expect(engine({ address }).recognise(printed)).rejects.toMatchObject({ code: 'upstream_failed' });
});

test.each([
  ['7', 7_000],
  ['Mon, 30 Nov 2026 12:01:00 GMT', 60_000],
])('Retry-After %s is handed on', async (header, retryAfterMs) => {
  server.next.push({ kind: 'status', status: 429, headers: { 'retry-after': header } });
  const now = (): number => Date.parse('2026-11-30T12:00:00Z');
  await expect(engine({ now }).recognise(printed)).rejects.toMatchObject({ code: 'upstream_rate_limited', retryAfterMs });
});

test('a refusal gives the reason of the server, and never the key', async () => {
  server.next.push({ kind: 'status', status: 401, body: 'the key s3cret is not known' });
  const refused = engine({ key: 's3cret' }).recognise(printed);
  await expect(refused).rejects.toThrow(/answered 401: the key \*\*\* is not known/);
});

for (const protocol of GLM_OCR_PROTOCOLS) {
  test(`one token said again and again by ${protocol} is cut and flagged on the page`, async () => {
    server.next.push({ kind: 'answer', text: `Cargo: flour${' the'.repeat(8_000)}`, finishReason: 'length' });
    const result = await engine({ protocol }).recognise(printed);
    expect(result.blocks.map(({ text }) => text)).toEqual(['Cargo: flour the']);
    expect(result.warnings).toEqual([expect.stringMatching(/repeated "the" 8000 times on page 7/)]);
  });
}

test('a text that the limit of tokens ended says so', async () => {
  server.next.push({ kind: 'answer', text: 'The first half of', finishReason: 'length' });
  expect((await engine().recognise(printed)).warnings).toEqual([expect.stringContaining('limit of tokens on page 7')]);
});

test('a blank page asks nobody; of an almost blank one an empty answer is a success with a warning', async () => {
  expect(await engine().recognise(decodedPage(pictureWith(0)))).toMatchObject({ engine: 'glm-ocr', blocks: [], markdown: '' });
  expect(server.requests).toHaveLength(0);
  const dusty = pictureWith(0);
  dusty.pixels.fill(0, 0, 9);
  server.next.push({ kind: 'answer', text: '' });
  expect(await engine().recognise(decodedPage(dusty))).toMatchObject({
    blocks: [],
    warnings: [expect.stringContaining('no text on page 7')],
  });
});

test('an abort gives the request up, with its own reason', async () => {
  server.next.push({ kind: 'silence' });
  const controller = new AbortController();
  const running = engine({ timeoutMs: 60_000 }).recognise(printed, { signal: controller.signal });
  const ended = running.catch((error: unknown) => error);
  await server.until(() => server.requests.length === 1);
  const before = server.givenUp;
  controller.abort(new Error('cancelled by a person'));
  expect(await ended).toMatchObject({ message: 'cancelled by a person' });
  await server.until(() => server.givenUp > before);
});

test('text that looks like a tag is not markup of whoever shows the Markdown', async () => {
  server.next.push({ kind: 'answer', text: 'before <img src=x onerror=alert(1)> after, and 3 < 4' });
  const { blocks, markdown } = await engine().recognise(printed);
  expect(blocks[0]?.text).toBe('before <img src=x onerror=alert(1)> after, and 3 < 4');
  expect(markdown).toBe('before \\<img src=x onerror=alert(1)> after, and 3 < 4');
});

test.each([
  ['http://h:8080', 'chat', 'http://h:8080/v1/chat/completions'],
  ['http://h:8080/', 'chat', 'http://h:8080/v1/chat/completions'],
  ['https://h/api/v1', 'chat', 'https://h/api/v1/chat/completions'],
  ['https://h/v1/chat/completions', 'chat', 'https://h/v1/chat/completions'],
  ['http://h:5002', 'parse', 'http://h:5002/glmocr/parse'],
  ['http://h/ocr/glmocr/parse', 'parse', 'http://h/ocr/glmocr/parse'],
] as const)('%s by %s is asked at %s', (address, protocol, endpoint) => {
  expect(endpointOf(address, protocol).href).toBe(endpoint);
});

test('nothing is asked once the signal has fired', async () => {
  const ask = vi.fn(() => Promise.resolve(pictureWith(10)));
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(engine().recognise({ ...printed, picture: ask }, { signal })).rejects.toThrow('too late');
  expect([ask.mock.calls.length, server.requests.length]).toEqual([0, 0]);
});
