import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface MemoryFindings {
  readonly threads: number;
  readonly pages: number;
  /** Bytes of the process, at most and after each tenth of the pages. */
  readonly peak: number;
  readonly sizes: readonly number[];
}

const THREADS = 2;

/** The memory of a process that reads pages in two threads, A4 at 200 dots an inch. */
export async function measureOcrMemory(pages: number, cacheDirectory: string): Promise<MemoryFindings> {
  const program = fileURLToPath(new URL('memory-process.js', import.meta.url));
  const order = JSON.stringify({ threads: THREADS, pages, cacheDirectory });
  const { stdout } = await promisify(execFile)(process.execPath, [program, order]);
  const { peak, sizes } = JSON.parse(stdout) as { peak: number; sizes: number[] };
  return { threads: THREADS, pages, peak, sizes };
}
