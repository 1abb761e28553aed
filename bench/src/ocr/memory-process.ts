import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createRecogniser, encodePageImage, makePdf, openDocument } from '@galley/ocr';
import { ownPages } from './pages.ts';

/**
 * Threads that read pages as a worker's do: open, decode, recognise, encode the picture. Its one argument: JSON
 * `{threads, pages, cacheDirectory}`. Prints JSON: the peak, and the size after each tenth of the pages, in bytes; pages a second while all
 * threads read, each past its first page; and for how many milliseconds the main thread's event loop was delayed meanwhile, at most.
 */

interface MemoryOrder {
  readonly threads: number;
  readonly pages: number;
  readonly cacheDirectory: string;
}

async function readPages(port: NonNullable<typeof parentPort>, { pages, cacheDirectory }: MemoryOrder): Promise<void> {
  const recogniser = await createRecogniser({ cacheDirectory });
  const bytes = makePdf(ownPages().map(({ page }) => page));
  for (let count = 0; count < pages; count++) {
    const document = await openDocument(bytes);
    const page = await document.readPage(1 + (count % document.pageCount));
    await recogniser.recognise(page, { engine: 'onnx' });
    await encodePageImage(await page.picture());
    document.close();
    port.postMessage('page');
  }
  await recogniser.close();
}

/** Pages a second and the loop's longest delay, from when every thread has read a page until the first has read all of its own. */
function watchPace(threads: number, pagesEach: number) {
  const delay = monitorEventLoopDelay({ resolution: 2 });
  const counts = Array.from({ length: threads }, () => 0);
  let [start, counted, pace] = [0, 0, { rate: 0, longestDelay: 0 }];
  return {
    tell(thread: number): void {
      counts[thread] = (counts[thread] ?? 0) + 1;
      if (start !== 0) counted++;
      else if (counts.every((count) => count > 0)) {
        start = performance.now();
        delay.enable();
      }
      if (counts[thread] !== pagesEach || pace.rate !== 0) return;
      pace = { rate: (counted * 1e3) / (performance.now() - start), longestDelay: delay.max / 1e6 };
      delay.disable();
    },
    found: () => pace,
  };
}

async function watch(order: MemoryOrder): Promise<void> {
  const sizes: number[] = [];
  const pages = Math.ceil(order.pages / order.threads);
  const pace = watchPace(order.threads, pages);
  let done = 0;
  const runs = Array.from({ length: order.threads }, (_, index) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: { ...order, pages } });
    thread.on('message', () => {
      done++;
      pace.tell(index);
      if (done % Math.max(1, Math.floor(order.pages / 10)) === 0) sizes.push(process.memoryUsage.rss());
    });
    return new Promise((resolve, reject) => thread.once('error', reject).once('exit', resolve));
  });
  await Promise.all(runs);
  process.stdout.write(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024, sizes, ...pace.found() }));
}

if (parentPort === null) await watch(JSON.parse(process.argv[2] ?? '{}') as MemoryOrder);
else await readPages(parentPort, workerData as MemoryOrder);
