import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBmp } from '../testing/bmp-fixture.ts';
import { type FuzzOrder, type FuzzOutcome, fuzzOutcomeSchema } from '../testing/fuzz-messages.ts';
import { mutate, seededRandom } from '../testing/mutate.ts';
import { makePdf } from '../testing/pdf-fixture.ts';
import { makeTiff, pictureOfText } from '../testing/picture-fixture.ts';

/** Damaged files of each format, and of those that still open how many are also recognised, which takes a second of CPU each. */
const FILES = 150;
const RECOGNISED = 3;
const FILE_LIMIT_MS = 60_000;
const MEMORY_LIMIT = 1e9;

// Built: a process of its own runs JavaScript, and one that hangs inside WASM or libvips can only be ended from outside.
const PROGRAM = fileURLToPath(new URL('../../dist/testing/fuzz-process.js', import.meta.url));

const TEXT = { width: 220, height: 60, texts: [{ x: 12, y: 24, size: 16, text: 'Two sacks of rye' }] };

/** Blue first, as a BMP has it. */
const SWAPPED: [[number, number, number], [number, number, number], [number, number, number]] = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
];

async function wholeFiles(): Promise<Record<string, Uint8Array>> {
  const { width, height, pixels } = await pictureOfText(TEXT);
  const picture = () => sharp(pixels, { raw: { width, height, channels: 3 } });
  // Rows of a BMP begin at the bottom and are padded to four bytes: a width of four needs no padding.
  const rows = await picture()
    .resize(width - (width % 4), height, { fit: 'fill' })
    .flip()
    .recomb(SWAPPED)
    .raw()
    .toBuffer();
  return {
    png: await picture().png().toBuffer(),
    jpeg: await picture().jpeg().toBuffer(),
    tiff: await picture().tiff({ compression: 'lzw' }).toBuffer(),
    'tiff of several pages': makeTiff([
      { width: 30, height: 10, grey: 255 },
      { width: 12, height: 40, grey: 0 },
    ]),
    webp: await picture().webp().toBuffer(),
    gif: await picture().gif().toBuffer(),
    avif: await picture().avif().toBuffer(),
    bmp: makeBmp({ width: width - (width % 4), height, bits: 24, body: rows }),
    pdf: makePdf([TEXT, { ...TEXT, content: '0.5 g 10 40 30 10 re f' }]),
    'pdf with a password': makePdf([TEXT], { userPassword: '' }),
  };
}

let files: Record<string, Uint8Array>;
let directory: string;
let child: ChildProcess | null = null;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'galley-fuzz-'));
  files = await wholeFiles();
});
afterAll(async () => {
  await end();
  await rm(directory, { recursive: true, force: true });
});

async function end(): Promise<void> {
  const ending = child;
  child = null;
  if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
  const exit = once(ending, 'exit');
  ending.kill('SIGKILL');
  await exit;
}

/** What became of one file: its outcome, or that the process crashed or hung on it. */
async function read(order: Omit<FuzzOrder, 'cacheDirectory'>): Promise<FuzzOutcome> {
  const running = (child ??= fork(PROGRAM, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
  const wrong = (detail: string): FuzzOutcome => ({ kind: 'wrong', detail, peakBytes: 0 });
  let timer: NodeJS.Timeout | undefined;
  const answered = once(running, 'message').then(([message]) => fuzzOutcomeSchema.parse(message));
  const died = once(running, 'exit').then(([code, signal]) => wrong(`the process died (${code ?? signal})`));
  const hung = new Promise<FuzzOutcome>((resolve) => {
    timer = setTimeout(() => resolve(wrong(`it took over ${FILE_LIMIT_MS} ms`)), FILE_LIMIT_MS);
  });
  running.send({ ...order, cacheDirectory: directory } satisfies FuzzOrder);
  const outcome = await Promise.race([answered, died, hung]);
  clearTimeout(timer);
  // Whatever state it is in now, the next file shall not suffer from it.
  if (outcome.kind === 'wrong') await end();
  running.removeAllListeners();
  return outcome;
}

const NAMES = ['png', 'jpeg', 'tiff', 'tiff of several pages', 'webp', 'gif', 'avif', 'bmp', 'pdf', 'pdf with a password'] as const;

test.each(NAMES.map((name, index) => [name, index] as const))(
  'damaged files of the kind %s end in text or in a permanent error with a code',
  { timeout: 600_000 },
  async (name, index) => {
    const whole = files[name] ?? new Uint8Array();
    expect(await read({ file: Buffer.from(whole).toString('base64'), recognise: false })).toMatchObject({ kind: 'text' });
    const random = seededRandom(1_000 + index);
    const counts = { text: 0, refused: 0, wrong: 0 };
    const wrong: string[] = [];
    let peakBytes = 0;
    for (let number = 0; number < FILES; number++) {
      const file = mutate(whole, random).toString('base64');
      let outcome = await read({ file, recognise: false });
      if (outcome.kind === 'text' && counts.text < RECOGNISED) outcome = await read({ file, recognise: true });
      counts[outcome.kind]++;
      peakBytes = Math.max(peakBytes, outcome.peakBytes);
      if (outcome.kind === 'wrong') wrong.push(`file ${number} (seed ${1_000 + index}): ${outcome.detail}\n${file.slice(0, 4_000)}`);
    }
    expect(wrong).toEqual([]);
    expect(counts.text + counts.refused).toBe(FILES);
    expect(counts.refused).toBeGreaterThan(0);
    expect(peakBytes).toBeLessThan(MEMORY_LIMIT);
  },
);
