import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  CALLBACK_SECRET_LENGTH,
  type Environment,
  LOG_LEVELS,
  type LogLevel,
  ORDER_POLICIES,
  type OrderPolicy,
  readSettings,
  SETTINGS,
  secretSetting,
  wholeNumberSetting,
  withoutPassword,
  wordSetting,
} from '@galley/contract';
import { DEFAULT_QUEUE_SETTINGS } from '@galley/core';
import { DEFAULT_LIMITS, type DocumentLimits } from '@galley/ocr';
import * as z from 'zod/mini';
import { type AllowList, parseAllowList } from './fetch/allow-list.ts';

const DAY_MS = 86_400_000;
const DEFAULT_MAX_FILE_BYTES = 100_000_000;

/** What a worker process was told, parsed once. All times in milliseconds. */
export interface WorkerConfig {
  readonly redisUrl: string;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Tasks at once; one thread each. */
  readonly slots: number;
  /** Used where this process is the one that creates the queue; undefined leaves it to core's defaults. */
  readonly shards: number | undefined;
  readonly order: OrderPolicy | undefined;
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly timeoutMs: number;
  readonly resultMs: number;
  readonly retentionMs: number;
  readonly crashBudget: number;
  readonly limits: DocumentLimits;
  readonly maxFileBytes: number;
  readonly logLevel: LogLevel;
  /** Megabytes of JavaScript heap of one thread; undefined is Node's own limit. */
  readonly threadHeapMb: number | undefined;
  readonly urlAllow: AllowList;
  /** Undefined: this process delivers no callbacks. */
  readonly callbackSecret: string | undefined;
}

const cores = availableParallelism();
const REDIS_RULE =
  'it takes redis://host:6379, rediss://…, unix:/path/redis.sock, or a comma-separated list for a cluster. npm start sets it by itself.';

const environmentSchema = z.object({
  GALLEY_REDIS_URL: z.string(REDIS_RULE).check(z.regex(/^(rediss?:\/\/|(redis\+)?unix:)/, REDIS_RULE)),
  GALLEY_DATA_DIR: z.optional(z.string()),
  GALLEY_SLOTS: wholeNumberSetting(1, 256, `the number of cores (${cores} here)`),
  GALLEY_SHARDS: wholeNumberSetting(1, 1_024, 8),
  GALLEY_ORDER: wordSetting(ORDER_POLICIES, 'strict'),
  GALLEY_LEASE_MS: wholeNumberSetting(200, DAY_MS, DEFAULT_QUEUE_SETTINGS.leaseMs),
  GALLEY_GRACE_MS: wholeNumberSetting(0, DAY_MS, 30_000),
  GALLEY_TIMEOUT_MS: wholeNumberSetting(100, DAY_MS, DEFAULT_QUEUE_SETTINGS.timeoutMs),
  GALLEY_RESULT_MS: wholeNumberSetting(1_000, 365 * DAY_MS, DEFAULT_QUEUE_SETTINGS.resultMs),
  GALLEY_RETENTION_MS: wholeNumberSetting(1_000, 3_650 * DAY_MS, DEFAULT_QUEUE_SETTINGS.retentionMs),
  GALLEY_CRASH_BUDGET: wholeNumberSetting(1, 100, DEFAULT_QUEUE_SETTINGS.crashBudget),
  GALLEY_MAX_PAGES: wholeNumberSetting(1, 100_000, DEFAULT_LIMITS.maxPages),
  GALLEY_MAX_PAGE_PIXELS: wholeNumberSetting(10_000, 1_000_000_000, DEFAULT_LIMITS.maxPagePixels),
  GALLEY_MAX_FILE_BYTES: wholeNumberSetting(1, 10_000_000_000, DEFAULT_MAX_FILE_BYTES),
  GALLEY_RENDER_DPI: wholeNumberSetting(36, 1_200, DEFAULT_LIMITS.renderDpi),
  GALLEY_LOG_LEVEL: wordSetting(LOG_LEVELS, 'info'),
  GALLEY_THREAD_HEAP_MB: wholeNumberSetting(64, 1_048_576, SETTINGS.GALLEY_THREAD_HEAP_MB.otherwise),
  GALLEY_URL_ALLOW: z.optional(z.string()),
  GALLEY_CALLBACK_SECRET: secretSetting(CALLBACK_SECRET_LENGTH, SETTINGS.GALLEY_CALLBACK_SECRET.otherwise),
});

/**
 * Reads the worker's part of an environment. An empty variable counts as left out.
 * Throws GalleyError `invalid_request` with a sentence that names the variable and what it takes.
 */
export function parseConfig(environment: Environment): WorkerConfig {
  const values = readSettings(environment, environmentSchema);
  return {
    redisUrl: values.GALLEY_REDIS_URL,
    dataDirectory: path.resolve(values.GALLEY_DATA_DIR ?? './data'),
    slots: values.GALLEY_SLOTS ?? cores,
    shards: values.GALLEY_SHARDS,
    order: values.GALLEY_ORDER,
    leaseMs: values.GALLEY_LEASE_MS ?? DEFAULT_QUEUE_SETTINGS.leaseMs,
    graceMs: values.GALLEY_GRACE_MS ?? 30_000,
    timeoutMs: values.GALLEY_TIMEOUT_MS ?? DEFAULT_QUEUE_SETTINGS.timeoutMs,
    resultMs: values.GALLEY_RESULT_MS ?? DEFAULT_QUEUE_SETTINGS.resultMs,
    retentionMs: values.GALLEY_RETENTION_MS ?? DEFAULT_QUEUE_SETTINGS.retentionMs,
    crashBudget: values.GALLEY_CRASH_BUDGET ?? DEFAULT_QUEUE_SETTINGS.crashBudget,
    limits: {
      maxPages: values.GALLEY_MAX_PAGES ?? DEFAULT_LIMITS.maxPages,
      maxPagePixels: values.GALLEY_MAX_PAGE_PIXELS ?? DEFAULT_LIMITS.maxPagePixels,
      renderDpi: values.GALLEY_RENDER_DPI ?? DEFAULT_LIMITS.renderDpi,
    },
    maxFileBytes: values.GALLEY_MAX_FILE_BYTES ?? DEFAULT_MAX_FILE_BYTES,
    logLevel: values.GALLEY_LOG_LEVEL ?? 'info',
    threadHeapMb: values.GALLEY_THREAD_HEAP_MB,
    urlAllow: parseAllowList(values.GALLEY_URL_ALLOW ?? ''),
    callbackSecret: values.GALLEY_CALLBACK_SECRET,
  };
}

/** The configuration of this process and its threads, which share its environment. */
export function readConfig(): WorkerConfig {
  return parseConfig(process.env);
}

/** The configuration as it may be logged: without the password of Redis and the secret of callbacks. */
export function redacted(config: WorkerConfig): object {
  return {
    ...config,
    redisUrl: withoutPassword(config.redisUrl),
    urlAllow: config.urlAllow.entries,
    callbackSecret: config.callbackSecret === undefined ? undefined : '***',
  };
}
