import { storedDocumentOf } from '@galley/contract';
import { expect, test } from 'vitest';
import { pageOf } from '../testing/documents.ts';
import { cutCounts, cutResult, cutText } from './cut-result.ts';

/** Texts that look like what the cuts look for, and what JSON escapes. */
const HOSTILE = [
  'plain',
  ',"images":[',
  '","text":"no","timings":{',
  '\\',
  '\\"',
  'a\\\\","markdown":"b',
  '日本語 \u{1F6A2} \u0000 \u2028',
  '}],"image":null',
  '',
];

test.each(HOSTILE)('a document that says %j is cut as it would be parsed', (text) => {
  const pages = [pageOf(1, text), { ...pageOf(2, text), error: { code: 'corrupt_document', message: text }, warnings: [text] }];
  const result = { pages, markdown: `${text}\n`, text, timings: { total: 3 }, warnings: [text] };
  const stored = storedDocumentOf(result, [{ page: 1, sha256: 'a'.repeat(64), media_type: 'image/png', width: 1, height: 1 }]);
  const bytes = Buffer.from(JSON.stringify(stored));
  expect(JSON.parse(cutResult(bytes)?.toString('utf8') ?? 'null')).toEqual(result);
  expect([cutText(bytes, 'markdown'), cutText(bytes, 'text')]).toEqual([result.markdown, result.text]);
  expect(cutCounts(bytes.subarray(0, 192))).toEqual({ total: 2, failed: 1 });
});

test.each(HOSTILE)('a page that says %j is cut as it would be parsed', (text) => {
  const bytes = Buffer.from(JSON.stringify({ kind: 'page', result: pageOf(1, text), image: null }));
  expect(JSON.parse(cutResult(bytes)?.toString('utf8') ?? 'null')).toEqual(pageOf(1, text));
  expect([cutText(bytes, 'markdown'), cutCounts(bytes)]).toEqual([null, null]);
});

test('what is stored in another form or order is left to be parsed', () => {
  const pointer = { kind: 'blob', counts: { total: 7, failed: 2 }, sha256: 'a'.repeat(64) };
  const old = { kind: 'document', images: [], result: { text: 'a', markdown: 'b', pages: [], timings: {}, warnings: [] } };
  for (const value of [pointer, old, { text: 'of another program' }, 'text', null, { kind: 'document' }]) {
    const bytes = Buffer.from(JSON.stringify(value));
    expect([cutResult(bytes), cutText(bytes, 'markdown'), cutText(bytes, 'text')]).toEqual([null, null, null]);
    expect(cutCounts(bytes)).toEqual(value === pointer ? pointer.counts : null);
  }
});
