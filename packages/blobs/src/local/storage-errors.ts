import { GalleyError } from '@galley/contract';

/** The code of a system error, such as `ENOENT`; null for anything else. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

export function isMissing(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

export function blobMissing(directory: string, sha256: string, cause?: unknown): GalleyError {
  const message =
    `Blob ${sha256} is not in ${directory}. When the file was uploaded on another host or container, that one keeps it elsewhere: ` +
    'server and workers need the same GALLEY_DATA_DIR on a shared volume, or an S3 bucket.';
  return new GalleyError('blob_missing', message, { cause });
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space or move GALLEY_DATA_DIR to a larger disk',
  EDQUOT: 'the disk quota of this user is used up. Raise it or move GALLEY_DATA_DIR',
  EROFS: 'the file system is mounted read-only. Mount it writable or move GALLEY_DATA_DIR',
  EACCES: 'this user may not write there. Give it the folder or move GALLEY_DATA_DIR',
  EPERM: 'this user may not write there. Give it the folder or move GALLEY_DATA_DIR',
  EMFILE: 'this process has too many files open. Raise its limit (ulimit -n)',
  EIO: 'the disk reported an error. Check it before anything else is stored there',
};

/** Says plainly why a blob could not be stored; what is no error of storage is answered as it came. */
export function storageError(directory: string, error: unknown): unknown {
  const reason = CAUSES[systemCode(error) ?? ''];
  if (reason === undefined) return error;
  return new GalleyError('internal_error', `A file could not be stored in ${directory}: ${reason}.`, { cause: error });
}
