import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignals } from '../end-on-signals.ts';
import { measureEngines } from './accuracy.ts';
import { measureOcrMemory, measureOcrThreads } from './memory.ts';
import { benchPages } from './pages.ts';
import { ocrMarkdown } from './report.ts';
import { measureTextLayer } from './text-layer.ts';

/** `npm run bench:ocr [-- --quick] [--only engines,text-layer,threads,memory] [--pages <parts of names>] [--memory-pages <n>] [--no-write]` */

const MEASURES = ['engines', 'text-layer', 'threads', 'memory'] as const;
/** An upright page, a skewed one, and one of our own. */
const QUICK_PAGES = ['01-en-serif', '18-skew3-en', 'own-dense'];
const QUICK_MEMORY_PAGES = 10;
const MEMORY_PAGES = 500;
const [QUICK_THREAD_PAGES, THREAD_PAGES] = [4, 20];
const RESULTS = new URL('../../RESULTS-ocr.md', import.meta.url);

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: MEASURES.join() },
    pages: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'memory-pages': { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
});
const unknown = values.only.split(',').filter((name) => !MEASURES.some((known) => known === name));
if (unknown.length > 0) throw new Error(`--only knows ${MEASURES.join(', ')}, not "${unknown.join()}"`);
const wants = (name: (typeof MEASURES)[number]): boolean => values.only.split(',').includes(name);
const memoryPages = Number(values['memory-pages'] ?? (values.quick ? QUICK_MEMORY_PAGES : MEMORY_PAGES));
if (!Number.isInteger(memoryPages) || memoryPages < 2 || memoryPages > 10_000) throw new Error('--memory-pages takes 2 to 10000');

const log = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function versionOf(name: string): Promise<string> {
  const text = await readFile(new URL(`../../../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return `${name} ${/"version": "(.+?)"/.exec(text)?.[1] ?? 'unknown'}`;
}

const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(', ');
const loadBefore = load();
const cacheDirectory = join(tmpdir(), 'galley-ocr-models');
await mkdir(cacheDirectory, { recursive: true });
endOnSignals();
const { pages, directory } = await benchPages(values.pages?.split(',') ?? (values.quick ? QUICK_PAGES : []));
if (!pages.some(({ name }) => !name.startsWith('own-'))) log('Pages of our own alone: GALLEY_SHARED_DIR names no folder with an evalset.');
try {
  const engines = wants('engines') ? await measureEngines(pages, cacheDirectory, log) : [];
  if (wants('text-layer')) log('text layer ...');
  const textLayer = wants('text-layer') ? await measureTextLayer(cacheDirectory) : null;
  if (textLayer !== null) log(JSON.stringify(textLayer));
  if (wants('threads')) log('one thread, two threads ...');
  const threads = wants('threads') ? await measureOcrThreads(values.quick ? QUICK_THREAD_PAGES : THREAD_PAGES, cacheDirectory) : null;
  if (wants('memory')) log(`memory over ${memoryPages} pages ...`);
  const memory = wants('memory') ? await measureOcrMemory(memoryPages, cacheDirectory) : null;
  const versions = await Promise.all(
    ['onnxruntime-node', 'sharp', '@gutenye/ocr-node', 'tesseract.js', '@tesseract.js-data/eng'].map(versionOf),
  );
  const markdown = ocrMarkdown({
    pages,
    engines,
    textLayer,
    threads,
    memory,
    circumstances: [
      ['date', new Date().toISOString().slice(0, 10)],
      ['machine', `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`],
      ['load', `load average (1, 5, 15 min) ${loadBefore} before the run and ${load()} after it`],
      ['versions', `Node ${process.version}, ${versions.join(', ')}`],
      ['pages', `${pages.length}${values.quick ? ', **quick: for looking, not for publishing**' : ''}`],
    ],
  });
  log(`\n${markdown}`);
  if (!values['no-write']) await writeFile(RESULTS, markdown);
} finally {
  await rm(directory, { recursive: true, force: true });
}
