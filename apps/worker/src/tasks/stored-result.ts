import type { BlobStore } from '@galley/blobs';
import {
  GalleyError,
  INLINE_RESULT_BYTES,
  type StoredDocument,
  type StoredPage,
  type StoredResult,
  storedResultSchema,
} from '@galley/contract';

/** What the result key holds: the result itself, or where it is too large for Redis a pointer to its blob. */
export async function toStored(result: StoredDocument | StoredPage, blobs: BlobStore): Promise<StoredResult> {
  const text = JSON.stringify(result);
  if (Buffer.byteLength(text) <= INLINE_RESULT_BYTES) return result;
  const { sha256 } = await blobs.put(Buffer.from(text));
  return { kind: 'blob', ...(result.kind === 'document' && result.counts !== undefined ? { counts: result.counts } : {}), sha256 };
}

/** Reads a page task's result as `toStored` left it. Throws GalleyError `blob_missing`, or `internal_error` where it is no page's. */
export async function fromStoredPage(text: string, blobs: BlobStore): Promise<StoredPage> {
  let stored = storedResultSchema.parse(JSON.parse(text));
  if (stored.kind === 'blob') stored = storedResultSchema.parse(JSON.parse(Buffer.from(await blobs.read(stored.sha256)).toString('utf8')));
  if (stored.kind !== 'page') throw new GalleyError('internal_error', `A page task holds a result of kind "${stored.kind}".`);
  return stored;
}
