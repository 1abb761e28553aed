import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface MemoryFindings {
  readonly threads: number;
  readonly pages: number;
  /** Bytes of the process, at most and after each tenth of the pages. */
  readonly peak: number;
  readonly sizes: readonly number[];
  /** Pages a second. */
  readonly rate: number;
  /** Milliseconds for which the main thread's event loop was delayed, at most. */
  readonly longestDelay: number;
}

const THREADS = 2;

async function measureThreads(threads: number, pages: number, cacheDirectory: string): Promise<MemoryFindings> {
  const program = fileURLToPath(new URL('memory-process.js', import.meta.url));
  const order = JSON.stringify({ threads, pages, cacheDirectory });
  const { stdout } = await promisify(execFile)(process.execPath, [program, order]);
  const { peak, sizes, rate, longestDelay } = JSON.parse(stdout) as Omit<MemoryFindings, 'threads' | 'pages'>;
  return { threads, pages, peak, sizes, rate, longestDelay };
}

/** The memory of a process that reads pages in two threads, A4 at 200 dots an inch. */
export function measureOcrMemory(pages: number, cacheDirectory: string): Promise<MemoryFindings> {
  return measureThreads(THREADS, pages, cacheDirectory);
}

/** One thread's pace and that of two, so many pages each; worth something on a machine that is quiet. */
export async function measureOcrThreads(
  pagesEach: number,
  cacheDirectory: string,
): Promise<readonly [one: MemoryFindings, two: MemoryFindings]> {
  return [await measureThreads(1, pagesEach, cacheDirectory), await measureThreads(THREADS, THREADS * pagesEach, cacheDirectory)];
}
