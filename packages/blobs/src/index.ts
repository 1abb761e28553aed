export type { BlobInfo, BlobRange, BlobStat, BlobStore, BlobWriter } from './blob-store.ts';
export { createBlobStore, type S3Settings, s3LocationOf } from './create-blob-store.ts';
export { createLocalBlobStore, type LocalBlobStoreOptions } from './local/local-blob-store.ts';
export { createS3BlobStore, type S3BlobStoreOptions } from './s3/s3-blob-store.ts';
export type { S3Location } from './s3/s3-client.ts';
