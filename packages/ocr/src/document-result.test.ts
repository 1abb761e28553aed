import { documentResultSchema } from '@galley/contract';
import { expect, test } from 'vitest';
import { assembleDocument, failedPage } from './document-result.ts';
import { toPageResult } from './page-result.ts';
import type { PageFacts } from './picture.ts';

function pageWith(page: number, text: string) {
  const facts: PageFacts = { page, width: 200, height: 100, source: 'image' };
  return toPageResult(
    facts,
    [
      {
        text,
        confidence: 1,
        quad: [
          [10, 10],
          [190, 10],
          [190, 30],
          [10, 30],
        ],
      },
    ],
    0,
    'onnx',
  );
}

test('pages are put in order, failed ones stated, and the rest delivered', () => {
  const document = assembleDocument(
    [pageWith(3, 'third'), failedPage(2, { code: 'corrupt_document', message: 'damaged' }), pageWith(1, 'first')],
    {
      timings: { decode: 12 },
      warnings: ['cut short'],
    },
  );
  expect(documentResultSchema.parse(document)).toEqual(document);
  expect(document.pages.map(({ page }) => page)).toEqual([1, 2, 3]);
  expect(document.pages[1]).toMatchObject({ blocks: [], error: { code: 'corrupt_document', message: 'damaged' } });
  expect(document.text).toBe('first\n\nthird');
  expect(document.markdown).toBe('first\n\nthird');
  expect(document.timings).toEqual({ decode: 12 });
  expect(document.warnings).toEqual(['cut short', 'Page 2 could not be read (corrupt_document): damaged']);
});
