import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createRecogniser, encodePageImage, makePdf, openDocument } from '@galley/ocr';
import { ownPages } from './pages.ts';

/**
 * Threads that read pages as a worker's do: open, decode, recognise, encode the picture. Its one argument: JSON
 * `{threads, pages, cacheDirectory}`. Prints JSON: the peak, and the size after each tenth of the pages, in bytes.
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

async function watch(order: MemoryOrder): Promise<void> {
  const sizes: number[] = [];
  let done = 0;
  const runs = Array.from({ length: order.threads }, () => {
    const pages = Math.ceil(order.pages / order.threads);
    const thread = new Worker(new URL(import.meta.url), { workerData: { ...order, pages } });
    thread.on('message', () => {
      done++;
      if (done % Math.max(1, Math.floor(order.pages / 10)) === 0) sizes.push(process.memoryUsage.rss());
    });
    return new Promise((resolve, reject) => thread.once('error', reject).once('exit', resolve));
  });
  await Promise.all(runs);
  process.stdout.write(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024, sizes }));
}

if (parentPort === null) await watch(JSON.parse(process.argv[2] ?? '{}') as MemoryOrder);
else await readPages(parentPort, workerData as MemoryOrder);
