import type { SourceDocument } from '@galley/ocr';
import { expect, test } from 'vitest';
import { DocumentCache } from './document-cache.ts';

function cacheOf(sizes: Readonly<Record<string, number>>, options: { closeFails?: boolean } = {}) {
  const log: string[] = [];
  const cache = new DocumentCache({
    maxDocuments: 2,
    maxBytes: 100,
    onCloseError: (error) => log.push(String(error)),
    open: (name) => {
      const size = sizes[name];
      if (size === undefined) return Promise.reject(new Error(`${name} is not there`));
      log.push(`open ${name}`);
      const document: SourceDocument = {
        format: 'png',
        pageCount: 1,
        warnings: [],
        readPage: () => Promise.reject(new Error('not read here')),
        close: () => {
          if (options.closeFails === true) throw new Error(`${name} cannot be closed`);
          log.push(`close ${name}`);
        },
      };
      return Promise.resolve({ document, size });
    },
  });
  return { cache, log };
}

test('keeps the documents used last and closes the others', async () => {
  const { cache, log } = cacheOf({ a: 10, b: 10, c: 10 });
  const first = await cache.get('a');
  await cache.get('b');
  expect(await cache.get('a')).toBe(first);
  await cache.get('c');
  expect(log).toEqual(['open a', 'open b', 'open c', 'close b']);
});

test('bounds their bytes, but opens one that is larger than the bound by itself', async () => {
  const { cache, log } = cacheOf({ a: 60, b: 60, huge: 500 });
  await cache.get('a');
  await cache.get('b');
  await cache.get('huge');
  expect(log).toEqual(['open a', 'open b', 'close a', 'open huge', 'close b']);
});

test('after distrust the next document begins with none open', async () => {
  const { cache, log } = cacheOf({ a: 10 });
  await cache.get('a');
  cache.distrust();
  expect(log).toEqual(['open a']);
  await cache.get('a');
  await cache.get('a');
  expect(log).toEqual(['open a', 'close a', 'open a']);
});

test('keeps nothing of a document that could not be opened, and outlives one that cannot be closed', async () => {
  const { cache, log } = cacheOf({ a: 10 }, { closeFails: true });
  await expect(cache.get('b')).rejects.toThrow('b is not there');
  await cache.get('a');
  cache.clear();
  expect(log).toEqual(['open a', 'Error: a cannot be closed']);
});
