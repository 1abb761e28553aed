import type { BlobStore } from '@galley/blobs';
import { GalleyError, type StoredDocument, type StoredPage, type StoredResult, storedResultSchema } from '@galley/contract';
import type { Inspector } from '@galley/core';

/** The result of a task that is no document or page: whatever its handler returned. */
export interface OtherResult {
  readonly kind: 'other';
  readonly value: unknown;
}

function parse(text: string): StoredResult | OtherResult {
  const value: unknown = JSON.parse(text);
  const stored = storedResultSchema.safeParse(value);
  return stored.success ? stored.data : { kind: 'other', value };
}

/** A held result, read from its blob where it is too large for Redis; null where none is held any more. */
export async function readStoredResult(
  inspector: Inspector,
  blobs: BlobStore,
  id: string,
): Promise<StoredDocument | StoredPage | OtherResult | null> {
  const held = await inspector.result(id);
  if (held === null) return null;
  const stored = parse(held.value);
  if (stored.kind !== 'blob') return stored;
  try {
    const whole = parse(Buffer.from(await blobs.read(stored.sha256)).toString('utf8'));
    if (whole.kind === 'blob') throw new GalleyError('internal_error', `the result of ${id} points to another pointer`);
    return whole;
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'blob_missing') return null;
    throw error;
  }
}

/** The blobs that a task's result consists of: its pointer's, and its pictures'. */
export async function blobsOfResult(inspector: Inspector, blobs: BlobStore, id: string): Promise<string[]> {
  const held = await inspector.result(id);
  if (held === null) return [];
  const stored = parse(held.value);
  const pointer = stored.kind === 'blob' ? [stored.sha256] : [];
  const whole = await readStoredResult(inspector, blobs, id);
  if (whole === null || whole.kind === 'other') return pointer;
  const images = whole.kind === 'document' ? whole.images : whole.image === null ? [] : [whole.image];
  return [...pointer, ...images.map((image) => image.sha256)];
}
