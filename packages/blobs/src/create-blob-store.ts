import { GalleyError } from '@galley/contract';
import type { BlobStore } from './blob-store.ts';
import { createLocalBlobStore } from './local/local-blob-store.ts';
import { createS3BlobStore } from './s3/s3-blob-store.ts';
import type { S3Location } from './s3/s3-client.ts';

/** The settings of a bucket, as they are written; all left out: blobs lie in a directory. */
export interface S3Settings {
  readonly GALLEY_S3_URL?: string | undefined;
  readonly GALLEY_S3_REGION?: string | undefined;
  readonly GALLEY_S3_KEY?: string | undefined;
  readonly GALLEY_S3_SECRET?: string | undefined;
}

const NAMES = ['GALLEY_S3_REGION', 'GALLEY_S3_KEY', 'GALLEY_S3_SECRET'] as const;
const DEFAULT_REGION = 'us-east-1';

/**
 * The bucket of the settings; undefined where none is set.
 * @throws GalleyError `invalid_request` with a sentence that says what is missing
 */
export function s3LocationOf(settings: S3Settings): S3Location | undefined {
  const { GALLEY_S3_URL: url, GALLEY_S3_REGION: region, GALLEY_S3_KEY: accessKeyId, GALLEY_S3_SECRET: secretAccessKey } = settings;
  if (url === undefined) {
    const [lone] = NAMES.filter((name) => settings[name] !== undefined);
    if (lone === undefined) return undefined;
    throw new GalleyError('invalid_request', `${lone} is set and GALLEY_S3_URL is not; set it to the bucket, or unset ${lone}.`);
  }
  if (!/^https?:\/\/[^/?#@]+\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w./-]*)?$/.test(url))
    throw new GalleyError('invalid_request', `GALLEY_S3_URL is "${url}"; it takes https://host/bucket, or https://host/bucket/prefix.`);
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new GalleyError('invalid_request', 'GALLEY_S3_URL is set and needs GALLEY_S3_KEY and GALLEY_S3_SECRET beside it.');
  return { url: url.replace(/\/+$/, ''), region: region ?? DEFAULT_REGION, accessKeyId, secretAccessKey };
}

/** The store of the settings. `directory`: of local blobs; with a bucket, where blobs gather on their way into it. */
export function createBlobStore(directory: string, s3: S3Location | undefined): BlobStore {
  return s3 === undefined ? createLocalBlobStore({ directory }) : createS3BlobStore({ location: s3, spool: directory });
}
