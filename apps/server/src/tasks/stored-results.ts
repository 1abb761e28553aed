import type { BlobStore } from '@galley/blobs';
import {
  GalleyError,
  type StoredDocument,
  type StoredPage,
  type StoredResult,
  storedPointerSchema,
  storedResultSchema,
} from '@galley/contract';
import type { Inspector } from '@galley/core';

/** The result of a task that is no document or page: whatever its handler returned. */
export interface OtherResult {
  readonly kind: 'other';
  readonly value: unknown;
}

const POINTER = '{"kind":"blob",';

function parse(text: string): StoredResult | OtherResult {
  const value: unknown = JSON.parse(text);
  const stored = storedResultSchema.safeParse(value);
  return stored.success ? stored.data : { kind: 'other', value };
}

/** Where the result's blob is, or null where what is stored is the result itself. */
function pointedTo(stored: Buffer): string | null {
  if (stored.toString('latin1', 0, POINTER.length) !== POINTER) return null;
  const pointer = storedPointerSchema.safeParse(JSON.parse(stored.toString('utf8')));
  return pointer.success ? pointer.data.sha256 : null;
}

/** The bytes of a result that Redis holds, read from their blob where they are too large for it; null where the blob is gone. */
export async function wholeResult(stored: Buffer, blobs: BlobStore): Promise<Buffer | null> {
  const sha256 = pointedTo(stored);
  if (sha256 === null) return stored;
  try {
    return Buffer.from(await blobs.read(sha256));
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'blob_missing') return null;
    throw error;
  }
}

/** @throws GalleyError `internal_error` where it is a pointer still */
export function parseWholeResult(id: string, bytes: Buffer): StoredDocument | StoredPage | OtherResult {
  const whole = parse(bytes.toString('utf8'));
  if (whole.kind === 'blob') throw new GalleyError('internal_error', `the result of ${id} points to another pointer`);
  return whole;
}

/** A held result, read from its blob where it is too large for Redis; null where none is held any more. */
export async function readStoredResult(
  inspector: Inspector,
  blobs: BlobStore,
  id: string,
): Promise<StoredDocument | StoredPage | OtherResult | null> {
  const held = await inspector.result(id);
  const bytes = held === null ? null : await wholeResult(Buffer.from(held.value), blobs);
  return bytes === null ? null : parseWholeResult(id, bytes);
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
