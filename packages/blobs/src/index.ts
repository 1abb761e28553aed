export type { BlobInfo, BlobRange, BlobStat, BlobStore, BlobWriter } from './blob-store.ts';
export { createLocalBlobStore, type LocalBlobStoreOptions } from './local/local-blob-store.ts';
