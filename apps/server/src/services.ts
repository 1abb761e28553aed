import type { BlobStore } from '@galley/blobs';
import type { GalleyError } from '@galley/contract';
import type { Connection, Operations } from '@galley/core';
import type { FileStore } from '@tus/file-store';
import type { Logger } from 'pino';
import type { Callbacks } from './callbacks/callbacks.ts';
import type { Config } from './config.ts';
import type { AlertThresholdStore } from './queue/alert-thresholds.ts';
import type { Queues } from './queue/queues.ts';
import type { RedisPolicy } from './queue/redis-policy.ts';
import type { Snapshots } from './queue/snapshots.ts';
import type { RedisWatch } from './redis/redis-watch.ts';
import type { Audit } from './session/audit.ts';
import type { Authenticator } from './session/authenticator.ts';
import type { Callers } from './session/callers.ts';

/** What the routes and the live stream stand on. */
export interface Services {
  readonly config: Config;
  readonly logger: Logger;
  readonly connection: Connection;
  readonly redis: RedisWatch;
  readonly queues: Queues;
  readonly blobs: BlobStore;
  /** Resumable uploads that are not whole yet. */
  readonly uploads: FileStore;
  readonly operations: Operations;
  readonly policy: RedisPolicy;
  readonly thresholds: AlertThresholdStore;
  readonly snapshots: Snapshots;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly audit: Audit;
  readonly callbacks: Callbacks;
  /** Null when it can serve; otherwise why not, as a request is told. */
  readonly notReady: () => GalleyError | null;
}
