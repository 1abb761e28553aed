import path from 'node:path';
import { GalleyError } from '@galley/contract';

const SHA256 = /^[0-9a-f]{64}$/;

export function isSha256(value: string): boolean {
  return SHA256.test(value);
}

/**
 * The place of a blob: `ab/cd/<sha256>`, so that no folder grows past what a file system lists quickly.
 * The hash is checked before any path is built from it.
 * @throws GalleyError `invalid_request`
 */
export function blobPath(directory: string, sha256: string): string {
  if (!isSha256(sha256)) {
    throw new GalleyError('invalid_request', 'A blob is named by a SHA-256: 64 lower-case hexadecimal digits.');
  }
  return path.join(directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

/** Where blobs lie until they have a name. In the store's own directory, since a rename cannot leave its file system. */
export function temporaryDirectory(directory: string): string {
  return path.join(directory, 'temporary');
}
