import type { BlobStore } from '@galley/blobs';
import { GalleyError, type PageResult, type StoredDocument, type StoredPage, storedDocumentOf } from '@galley/contract';
import { done, fanOut, type Handlers } from '@galley/core';
import { pngBytes } from './start.ts';

export function pageOf(page: number, text: string): PageResult {
  return {
    page,
    width: 800,
    height: 600,
    angle: 0,
    source: 'image',
    engine: 'onnx',
    blocks: [
      {
        id: 1,
        type: 'text',
        bbox: [0, 0, 100, 20],
        text,
        lines: [
          {
            text,
            confidence: 0.99,
            polygon: [
              [0, 0],
              [100, 0],
              [100, 20],
              [0, 20],
            ],
          },
        ],
      },
    ],
    markdown: `${text}\n`,
  };
}

/** A document as a worker stores it, one page a text. */
export async function storedDocument(blobs: BlobStore, texts: readonly string[]): Promise<StoredDocument> {
  const images = await Promise.all(
    texts.map(async (text, index) => {
      const { sha256 } = await blobs.put(pngBytes(`picture of ${text}`));
      return { page: index + 1, sha256, media_type: 'image/png', width: 800, height: 600 };
    }),
  );
  const pages = texts.map((text, index) => pageOf(index + 1, text));
  return storedDocumentOf({ pages, markdown: texts.join('\n'), text: texts.join('\n\n'), timings: { total: 1 }, warnings: [] }, images);
}

/** Reads every document as one page that says `text`. */
export function readsAs(blobs: BlobStore, text: string): Handlers {
  return { document: async () => done(plain(await storedDocument(blobs, [text])), { counters: { pages: 1, 'pages:onnx:done': 1 } }) };
}

/** Every document is damaged. */
export const refusesAll: Handlers = {
  document: () => Promise.reject(new GalleyError('corrupt_document', 'The file ends in the middle of a page.')),
};

/** Every document has two pages; `release` lets page 2 end. */
export function readsTwoPages(blobs: BlobStore, release: Promise<void>): Handlers {
  return {
    document: async (context) => {
      if (context.children === null)
        return fanOut([1, 2].map((page) => ({ type: 'page', payload: { page, sha256: '0'.repeat(64), engine: 'auto' } })));
      return done(plain(await storedDocument(blobs, ['first', 'second'])));
    },
    page: async (context) => {
      const page = Number(/\.(\d+)$/.exec(context.id)?.[1]);
      if (page === 2) await release;
      const stored: StoredPage = { kind: 'page', result: pageOf(page, `page ${page}`), image: null };
      return done(plain(stored));
    },
  };
}

/** A value as JSON carries it, which is what core's results are. */
function plain(value: StoredDocument | StoredPage): Parameters<typeof done>[0] {
  return JSON.parse(JSON.stringify(value)) as Parameters<typeof done>[0];
}
