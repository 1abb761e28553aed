import path from 'node:path';
import { type BlobStore, createBlobStore } from '@galley/blobs';
import { GalleyError } from '@galley/contract';
import { type Clock, type Connection, connectRedis, findLayout, Inspector, systemClock } from '@galley/core';
import { createGlmOcr, createRecogniser, openDocument, type PageReader, type Recogniser } from '@galley/ocr';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import type { Resolve } from '../fetch/guard.ts';
import { createLogger } from '../logger.ts';
import { requireGlmOcr } from '../tasks/payload.ts';
import { DocumentCache } from './document-cache.ts';

const MAX_OPEN_DOCUMENTS = 3;
const MAX_OPEN_BYTES = 192 * 1024 * 1024;

/** A queue as handlers read it. */
export interface QueueReader {
  readonly connection: Connection;
  readonly inspector: Inspector;
}

/** What the handlers of one thread share. All of it is made when it is first needed, and kept. */
export interface Tools {
  readonly config: WorkerConfig;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly blobs: BlobStore;
  readonly documents: DocumentCache;
  /** How names of URL tasks are resolved; the system's way when left out. */
  readonly resolve?: Resolve;
  recogniser(): Promise<Recogniser>;
  /** Throws GalleyError `engine_unavailable` where this worker is told of no server. */
  glmOcr(): PageReader;
  reader(queue: string): Promise<QueueReader>;
}

/** Where a data directory keeps uploaded files; the server uses the same. */
export function blobDirectory(dataDirectory: string): string {
  return path.join(dataDirectory, 'blobs');
}

/** A value made once, on demand; an attempt that failed is made again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

export function createTools(config: WorkerConfig): Tools {
  const logger = createLogger(config);
  const blobs = createBlobStore(blobDirectory(config.dataDirectory), config.s3);
  const connect = once(() =>
    Promise.resolve(connectRedis(config.redisUrl, { onError: (error) => logger.debug({ err: error }, 'a thread has lost Redis') })),
  );
  let glmOcr: PageReader | null = null;
  const readers = new Map<string, () => Promise<QueueReader>>();
  const openReader = async (queue: string): Promise<QueueReader> => {
    const connection = await connect();
    const layout = await findLayout(connection, queue);
    if (layout === null) throw new GalleyError('queue_not_found', `The queue ${queue} is not in Redis any more.`);
    return { connection, inspector: new Inspector(connection, layout) };
  };
  return {
    config,
    logger,
    clock: systemClock,
    blobs,
    documents: new DocumentCache({
      maxDocuments: MAX_OPEN_DOCUMENTS,
      maxBytes: MAX_OPEN_BYTES,
      onCloseError: (error) => logger.warn({ err: error }, 'a document could not be closed'),
      open: async (sha256) => {
        const bytes = await blobs.read(sha256);
        return { document: await openDocument(bytes, config.limits), size: bytes.length };
      },
    }),
    recogniser: once(() => createRecogniser({ cacheDirectory: path.join(config.dataDirectory, 'models'), threads: 1 })),
    glmOcr: () => {
      glmOcr ??= createGlmOcr(requireGlmOcr(config));
      return glmOcr;
    },
    reader: (queue) => {
      let reader = readers.get(queue);
      if (reader === undefined) readers.set(queue, (reader = once(() => openReader(queue))));
      return reader();
    },
  };
}
