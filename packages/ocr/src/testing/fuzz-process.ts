import { errorEntry, GalleyError, pageResultSchema } from '@galley/contract';
import { openDocument } from '../decode/document.ts';
import { createRecogniser, type Recogniser } from '../engine.ts';
import { pageToText } from '../export/text.ts';
import { type FuzzOrder, type FuzzOutcome, fuzzOrderSchema } from './fuzz-messages.ts';

// Reads files that it is sent, in a process that may crash or hang in peace.

/** Pages of one file that are looked at: a damaged page tree may name thousands. */
const MOST_PAGES = 3;

let recogniser: Recogniser | null = null;

async function readAll(order: FuzzOrder): Promise<string> {
  const document = await openDocument(Buffer.from(order.file, 'base64'));
  const texts: string[] = [];
  try {
    for (let number = 1; number <= Math.min(MOST_PAGES, document.pageCount); number++) {
      const page = await document.readPage(number);
      if (order.recognise) {
        recogniser ??= await createRecogniser({ cacheDirectory: order.cacheDirectory });
        texts.push(pageToText(pageResultSchema.parse(await recogniser.recognise(page))));
      } else {
        const { pixels, width, height } = await page.picture();
        if (pixels.length !== width * height * 3) throw new Error(`${pixels.length} bytes of pixels for ${width} × ${height}`);
      }
    }
  } finally {
    document.close();
  }
  return texts.join('\n');
}

async function outcomeOf(order: FuzzOrder): Promise<Pick<FuzzOutcome, 'kind' | 'detail'>> {
  try {
    return { kind: 'text', detail: await readAll(order) };
  } catch (error) {
    const permanent = error instanceof GalleyError && errorEntry(error.code).retry === 'permanent';
    if (permanent && error.message !== '') return { kind: 'refused', detail: error.code };
    return { kind: 'wrong', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (message) => {
  const order = fuzzOrderSchema.parse(message);
  void outcomeOf(order).then((outcome) => {
    process.send?.({ ...outcome, peakBytes: process.resourceUsage().maxRSS * 1024 } satisfies FuzzOutcome);
  });
});
process.on('disconnect', () => process.exit(0));
