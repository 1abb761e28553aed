import { createRecogniser, encodePageImage, makePdf, openDocument, pageToText } from '@galley/ocr';
import { ownPages } from './pages.ts';

export interface TextLayerFindings {
  /** CPU seconds a page by its own text, of a document that is open; with the reader's picture besides; and by recognition. */
  readonly ownText: number;
  readonly withPicture: number;
  readonly recognised: number;
  readonly exact: boolean;
}

const TIMES = 40;
const PICTURES = 3;

/** CPU seconds of one run, the mean of several after a first that does not count. */
async function cpuOf(times: number, run: () => Promise<unknown>): Promise<number> {
  await run();
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / times;
}

/** A dense born-digital page, A4 at 200 dots an inch. */
export async function measureTextLayer(cacheDirectory: string): Promise<TextLayerFindings> {
  const [dense] = ownPages();
  if (dense === undefined) throw new Error('there is no page to measure with');
  const recogniser = await createRecogniser({ cacheDirectory });
  const document = await openDocument(makePdf([dense.page]));
  const read = async (): Promise<string> => pageToText(await recogniser.recognise(await document.readPage(1)));
  const text = await read();
  const findings = {
    ownText: await cpuOf(TIMES, read),
    withPicture: await cpuOf(PICTURES, async () => {
      const page = await document.readPage(1);
      await recogniser.recognise(page);
      await encodePageImage(await page.preview());
    }),
    recognised: await cpuOf(1, async () => recogniser.recognise(await document.readPage(1), { engine: 'onnx' })),
    exact: text.replace(/\s+/g, ' ').trim() === dense.truth.replace(/\s+/g, ' ').trim(),
  };
  document.close();
  await recogniser.close();
  return findings;
}
