import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRecogniser, openDocument, pageToText } from '@galley/ocr';
import { createWorker } from 'tesseract.js';

/** Reads the text of one picture file, in the engine's own reading order. */
export interface BenchEngine {
  read(file: string): Promise<{ readonly text: string /** CPU seconds of processes of its own. */; readonly outsideCpu: number }>;
  close(): Promise<void>;
}

export const ENGINE_NAMES = ['galley', '@gutenye/ocr-node', 'tesseract.js', 'tesseract'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

async function galley(cacheDirectory: string): Promise<BenchEngine> {
  const recogniser = await createRecogniser({ cacheDirectory, threads: 1 });
  return {
    async read(file) {
      const document = await openDocument(await readFile(file));
      const result = await recogniser.recognise(await document.readPage(1));
      document.close();
      return { text: pageToText(result), outsideCpu: 0 };
    },
    close: () => recogniser.close(),
  };
}

// By name at run time: its types are loose, and one of its dependencies is no text that linters can read.
const GUTENYE = '@gutenye/ocr-node';

type Method = (...parameters: unknown[]) => unknown;

function hasMethod<Name extends string>(value: unknown, name: Name): value is Record<Name, Method> {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && typeof Reflect.get(value, name) === 'function';
}

/** The texts of its lines, which it answers as `{text}`. */
function textOf(line: unknown): string {
  return typeof line === 'object' && line !== null && 'text' in line ? String(line.text) : '';
}

async function gutenye(): Promise<BenchEngine> {
  const loaded: unknown = await import(GUTENYE);
  const factory: unknown = typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : null;
  if (!hasMethod(factory, 'create')) throw new Error(`${GUTENYE} has no create`);
  const ocr: unknown = await factory.create({ onnxOptions: { intraOpNumThreads: 1, interOpNumThreads: 1 } });
  if (!hasMethod(ocr, 'detect')) throw new Error(`${GUTENYE} has no detect`);
  return {
    async read(file) {
      const lines: unknown = await ocr.detect(file);
      if (!Array.isArray(lines)) throw new Error(`${GUTENYE} answered no lines`);
      return { text: lines.map(textOf).join('\n'), outsideCpu: 0 };
    },
    close: () => Promise.resolve(),
  };
}

/** Where its language data is, which it would otherwise fetch from a server. */
function languageData(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng'))), '4.0.0');
}

async function tesseractJs(): Promise<BenchEngine> {
  const worker = await createWorker('eng', 1, { langPath: languageData(), gzip: true, cacheMethod: 'none' });
  return {
    read: async (file) => ({ text: (await worker.recognize(file)).data.text, outsideCpu: 0 }),
    close: async () => {
      await worker.terminate();
    },
  };
}

const run = promisify(execFile);

/** Seconds from the shell's `times`: its second line is that of its children, as `0m1.23s 0m0.04s`. */
function childSeconds(times: string): number {
  const [, children = ''] = times.trim().split('\n').slice(-2);
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

async function tesseract(): Promise<BenchEngine> {
  await run('tesseract', ['--version']);
  return {
    async read(file) {
      const { stdout, stderr } = await run('sh', ['-c', 'tesseract "$0" stdout 2>/dev/null; times >&2', file], {
        env: { ...process.env, OMP_THREAD_LIMIT: '1' },
        maxBuffer: 2 ** 26,
      });
      return { text: stdout, outsideCpu: childSeconds(stderr) };
    },
    close: () => Promise.resolve(),
  };
}

/** Starts an engine with one thread. Throws where it is not installed. */
export function startEngine(name: EngineName, cacheDirectory: string): Promise<BenchEngine> {
  switch (name) {
    case 'galley':
      return galley(cacheDirectory);
    case '@gutenye/ocr-node':
      return gutenye();
    case 'tesseract.js':
      return tesseractJs();
    case 'tesseract':
      return tesseract();
  }
}
