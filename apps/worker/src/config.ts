import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type S3Location, s3LocationOf } from '@galley/blobs';
import {
  addressSetting,
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
import { DEFAULT_QUEUE_SETTINGS, type RecycleLimits } from '@galley/core';
import {
  DEFAULT_LIMITS,
  type DocumentLimits,
  GLM_OCR_DEFAULTS,
  GLM_OCR_PROTOCOLS,
  GLM_OCR_TASKS,
  type GlmOcrProtocol,
  type GlmOcrTask,
} from '@galley/ocr';
import * as z from 'zod/mini';
import { type AllowList, parseAllowList } from './fetch/allow-list.ts';

const DAY_MS = 86_400_000;
const DEFAULT_MAX_FILE_BYTES = 100_000_000;

const DEFAULT_GLM_OCR_SLOTS = 4;

/** A served GLM-OCR model, and how much is asked of it. */
export interface GlmOcrConfig {
  readonly address: string;
  readonly protocol: GlmOcrProtocol;
  readonly key: string | undefined;
  readonly model: string;
  readonly task: GlmOcrTask;
  /** Tasks at once; one thread each, which mostly waits. */
  readonly slots: number;
  /** For one page. */
  readonly timeoutMs: number;
}

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
  /** Undefined: files lie in the data directory. */
  readonly s3: S3Location | undefined;
  readonly logLevel: LogLevel;
  /** Megabytes of JavaScript heap of one thread; undefined is Node's own limit. */
  readonly threadHeapMb: number | undefined;
  /** When a thread is replaced by a fresh one, between two tasks. */
  readonly recycle: RecycleLimits;
  readonly urlAllow: AllowList;
  /** Undefined: this process delivers no callbacks. */
  readonly callbackSecret: string | undefined;
  /** Undefined: this process has no such engine and does not serve its queue. */
  readonly glmOcr: GlmOcrConfig | undefined;
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
  GALLEY_S3_URL: z.optional(z.string()),
  GALLEY_S3_REGION: z.optional(z.string()),
  GALLEY_S3_KEY: z.optional(z.string()),
  GALLEY_S3_SECRET: z.optional(z.string()),
  GALLEY_LOG_LEVEL: wordSetting(LOG_LEVELS, 'info'),
  GALLEY_THREAD_HEAP_MB: wholeNumberSetting(64, 1_048_576, SETTINGS.GALLEY_THREAD_HEAP_MB.otherwise),
  GALLEY_THREAD_TASKS: wholeNumberSetting(1, 1_000_000, SETTINGS.GALLEY_THREAD_TASKS.otherwise),
  GALLEY_THREAD_GROWTH_MB: wholeNumberSetting(1, 1_048_576, SETTINGS.GALLEY_THREAD_GROWTH_MB.otherwise),
  GALLEY_URL_ALLOW: z.optional(z.string()),
  GALLEY_CALLBACK_SECRET: secretSetting(CALLBACK_SECRET_LENGTH, SETTINGS.GALLEY_CALLBACK_SECRET.otherwise),
  GALLEY_GLM_OCR_URL: addressSetting('http://127.0.0.1:8080'),
  GALLEY_GLM_OCR_PROTOCOL: wordSetting(GLM_OCR_PROTOCOLS, GLM_OCR_DEFAULTS.protocol),
  GALLEY_GLM_OCR_KEY: z.optional(z.string().check(z.regex(/^[\x21-\x7e]+$/, 'it takes printable ASCII characters without spaces'))),
  GALLEY_GLM_OCR_MODEL: z.optional(z.string()),
  GALLEY_GLM_OCR_TASK: wordSetting(GLM_OCR_TASKS, GLM_OCR_DEFAULTS.task),
  GALLEY_GLM_OCR_SLOTS: wholeNumberSetting(1, 256, DEFAULT_GLM_OCR_SLOTS),
  GALLEY_GLM_OCR_TIMEOUT_MS: wholeNumberSetting(100, DAY_MS, GLM_OCR_DEFAULTS.timeoutMs),
});

function glmOcrOf(values: z.infer<typeof environmentSchema>): GlmOcrConfig | undefined {
  if (values.GALLEY_GLM_OCR_URL === undefined) return undefined;
  return {
    address: values.GALLEY_GLM_OCR_URL,
    protocol: values.GALLEY_GLM_OCR_PROTOCOL ?? GLM_OCR_DEFAULTS.protocol,
    key: values.GALLEY_GLM_OCR_KEY,
    model: values.GALLEY_GLM_OCR_MODEL ?? GLM_OCR_DEFAULTS.model,
    task: values.GALLEY_GLM_OCR_TASK ?? GLM_OCR_DEFAULTS.task,
    slots: values.GALLEY_GLM_OCR_SLOTS ?? DEFAULT_GLM_OCR_SLOTS,
    timeoutMs: values.GALLEY_GLM_OCR_TIMEOUT_MS ?? GLM_OCR_DEFAULTS.timeoutMs,
  };
}

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
    s3: s3LocationOf(values),
    logLevel: values.GALLEY_LOG_LEVEL ?? 'info',
    threadHeapMb: values.GALLEY_THREAD_HEAP_MB,
    recycle: {
      ...(values.GALLEY_THREAD_TASKS === undefined ? {} : { tasks: values.GALLEY_THREAD_TASKS }),
      ...(values.GALLEY_THREAD_GROWTH_MB === undefined ? {} : { growthMb: values.GALLEY_THREAD_GROWTH_MB }),
    },
    urlAllow: parseAllowList(values.GALLEY_URL_ALLOW ?? ''),
    callbackSecret: values.GALLEY_CALLBACK_SECRET,
    glmOcr: glmOcrOf(values),
  };
}

/** The configuration of this process and its threads, which share its environment. */
export function readConfig(): WorkerConfig {
  return parseConfig(process.env);
}

/** The configuration as it may be logged: without the password of Redis, the secret of callbacks and the key of GLM-OCR. */
export function redacted(config: WorkerConfig): object {
  const { glmOcr, s3 } = config;
  return {
    ...config,
    redisUrl: withoutPassword(config.redisUrl),
    urlAllow: config.urlAllow.entries,
    s3: s3 === undefined ? undefined : { ...s3, secretAccessKey: '***' },
    callbackSecret: config.callbackSecret === undefined ? undefined : '***',
    ...(glmOcr === undefined ? {} : { glmOcr: { ...glmOcr, key: glmOcr.key === undefined ? undefined : '***' } }),
  };
}
