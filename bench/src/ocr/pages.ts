import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePageImage, type FixturePage, makePdf, openDocument } from '@galley/ocr';
import { benchDirectory } from '../end-on-signals.ts';

/** A page with exactly known text. */
export interface BenchPage {
  readonly name: string;
  /** A picture file that every engine reads. */
  readonly file: string;
  readonly truth: string;
}

const A4 = { width: 595, height: 842 };
const WORDS =
  'harbour master writes each ship into book her cargo and hour of arrival two sacks wheat flour one barrel salt herring received with thanks'.split(
    ' ',
  );

/** Lines of words in an order that repeats on no page. */
function linesOf(count: number, wordsEach: number, seed: number): string[] {
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: wordsEach }, (_, column) => WORDS[(row * 7 + column * 5 + seed * 11 + row * column) % WORDS.length] ?? '').join(
      ' ',
    ),
  );
}

/** Pages of our own making: close print, and large print. `texts` from the top. */
export function ownPages(): readonly { readonly name: string; readonly page: FixturePage; readonly truth: string }[] {
  return [
    { name: 'own-dense', size: 10, count: 48, words: 14 },
    { name: 'own-large', size: 18, count: 24, words: 7 },
  ].map(({ name, size, count, words }, seed) => {
    const lines = linesOf(count, words, seed);
    const texts = lines.map((text, index) => ({ x: 50, y: A4.height - 60 - index * size * 1.5, size, text }));
    return { name, page: { ...A4, texts }, truth: lines.join('\n') };
  });
}

async function drawn(directory: string): Promise<BenchPage[]> {
  const pages: BenchPage[] = [];
  for (const { name, page, truth } of ownPages()) {
    const document = await openDocument(makePdf([page]));
    const { bytes } = await encodePageImage(await (await document.readPage(1)).picture());
    document.close();
    const file = join(directory, `${name}.jpg`);
    await writeFile(file, bytes);
    pages.push({ name, file, truth });
  }
  return pages;
}

/** Pages of the folder `evalset` in GALLEY_SHARED_DIR, where there is one. */
function shared(): BenchPage[] {
  const directory = join(process.env['GALLEY_SHARED_DIR'] ?? '', 'evalset');
  if (process.env['GALLEY_SHARED_DIR'] === undefined || !existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => /\.(png|jpg)$/.test(name))
    .sort()
    .map((name) => {
      const bare = name.replace(/\.\w+$/, '');
      return { name: bare, file: join(directory, name), truth: readFileSync(join(directory, `${bare}.txt`), 'utf8') };
    });
}

/** Every page, or the few whose names are given. Makes a directory for its own, which the caller removes. */
export async function benchPages(names: readonly string[]): Promise<{ pages: BenchPage[]; directory: string }> {
  const directory = await benchDirectory('galley-bench-ocr-');
  const all = [...shared(), ...(await drawn(directory))];
  const pages = names.length === 0 ? all : all.filter(({ name }) => names.some((part) => name.includes(part)));
  return { pages, directory };
}
