import { availableParallelism } from 'node:os';
import path from 'node:path';
import { GalleyError, ORDER_POLICIES, type OrderPolicy } from '@galley/contract';
import { DEFAULT_QUEUE_SETTINGS } from '@galley/core';
import { DEFAULT_LIMITS, type DocumentLimits } from '@galley/ocr';
import * as z from 'zod/mini';
import { type AllowList, parseAllowList } from './fetch/allow-list.ts';

/** Settings that only the launcher, the server or tests read; the whole environment is handed to all of them. */
const SETTINGS_OF_OTHERS: ReadonlySet<string> = new Set([
  'GALLEY_ALLOWED_HOSTS',
  'GALLEY_CHROMIUM',
  'GALLEY_DEPTH_LIMIT',
  'GALLEY_HOST',
  'GALLEY_MAX_FILES',
  'GALLEY_PORT',
  'GALLEY_RATE_LIMIT',
  'GALLEY_REDIS_APPENDFSYNC',
  'GALLEY_SHARED_DIR',
  'GALLEY_TOKENS_FILE',
  'GALLEY_URL',
  'GALLEY_WORKERS',
]);

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
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
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Megabytes of JavaScript heap of one thread; undefined is Node's own limit. */
  readonly threadHeapMb: number | undefined;
  readonly urlAllow: AllowList;
}

/** A whole number between two bounds, left out where it has a default. */
function wholeNumber(least: number, most: number, otherwise: string) {
  const rule = `it takes a whole number from ${least} to ${most}. ${otherwise}`;
  return z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,15}$/, rule)),
      z.pipe(
        z.transform((text: string) => Number(text)),
        z.number().check(z.minimum(least, rule), z.maximum(most, rule)),
      ),
    ),
  );
}

function withDefault(least: number, most: number, value: number) {
  return wholeNumber(least, most, `Left out, it is ${value}.`);
}

function oneOf<const Word extends string>(words: readonly Word[], otherwise: string) {
  return z.optional(z.enum(words, `it takes ${words.slice(0, -1).join(', ')} or ${words.at(-1)}. ${otherwise}`));
}

const cores = availableParallelism();
const REDIS_RULE =
  'it takes redis://host:6379, rediss://…, unix:/path/redis.sock, or a comma-separated list for a cluster. npm start sets it by itself.';

const environmentSchema = z.object({
  GALLEY_REDIS_URL: z.string(REDIS_RULE).check(z.regex(/^(rediss?:\/\/|(redis\+)?unix:)/, REDIS_RULE)),
  GALLEY_DATA_DIR: z.optional(z.string()),
  GALLEY_SLOTS: wholeNumber(1, 256, `Left out, it is the number of cores (${cores} here).`),
  GALLEY_SHARDS: wholeNumber(1, 1_024, 'Left out, a new queue gets 8.'),
  GALLEY_ORDER: oneOf(ORDER_POLICIES, 'Left out, a new queue is strict.'),
  GALLEY_LEASE_MS: withDefault(200, DAY_MS, DEFAULT_QUEUE_SETTINGS.leaseMs),
  GALLEY_GRACE_MS: withDefault(0, DAY_MS, 30_000),
  GALLEY_TIMEOUT_MS: withDefault(100, DAY_MS, DEFAULT_QUEUE_SETTINGS.timeoutMs),
  GALLEY_RESULT_MS: withDefault(1_000, 365 * DAY_MS, DEFAULT_QUEUE_SETTINGS.resultMs),
  GALLEY_RETENTION_MS: withDefault(1_000, 3_650 * DAY_MS, DEFAULT_QUEUE_SETTINGS.retentionMs),
  GALLEY_CRASH_BUDGET: withDefault(1, 100, DEFAULT_QUEUE_SETTINGS.crashBudget),
  GALLEY_MAX_PAGES: withDefault(1, 100_000, DEFAULT_LIMITS.maxPages),
  GALLEY_MAX_PAGE_PIXELS: withDefault(10_000, 1_000_000_000, DEFAULT_LIMITS.maxPagePixels),
  GALLEY_MAX_FILE_BYTES: withDefault(1, 10_000_000_000, DEFAULT_MAX_FILE_BYTES),
  GALLEY_RENDER_DPI: withDefault(36, 1_200, DEFAULT_LIMITS.renderDpi),
  GALLEY_LOG_LEVEL: oneOf(LOG_LEVELS, 'Left out, it is info.'),
  GALLEY_THREAD_HEAP_MB: wholeNumber(64, 1_048_576, "Left out, Node's own limit holds."),
  GALLEY_URL_ALLOW: z.optional(z.string()),
});

/**
 * Reads the worker's part of an environment. An empty variable counts as left out.
 * Throws GalleyError `invalid_request` with a sentence that names the variable and what it takes.
 */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const given = ownSettings(environment);
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) throw new GalleyError('invalid_request', parsed.error.issues.map((issue) => sentenceOf(issue, given)).join(' '));
  const values = parsed.data;
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
  };
}

/** What is set of this program's settings. Throws where a name is nobody's: a slip of the pen would be ignored in silence. */
function ownSettings(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const known = Object.keys(environmentSchema.shape);
  const own = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    const text = value?.trim() ?? '';
    return name.startsWith('GALLEY_') && text !== '' && !SETTINGS_OF_OTHERS.has(name) ? [[name, text]] : [];
  });
  const unknown = own.map(([name]) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return Object.fromEntries(own);
  throw new GalleyError(
    'invalid_request',
    `${unknown.join(', ')}: no setting has this name. Correct or unset it; the settings are ${known.join(', ')}.`,
  );
}

/** The configuration of this process and its threads, which share its environment. */
export function readConfig(): WorkerConfig {
  return parseConfig(process.env);
}

/** The configuration as it may be logged: without the password of Redis. */
export function redacted(config: WorkerConfig): object {
  return { ...config, redisUrl: config.redisUrl.replace(/\/\/[^@/,]*@/g, '//***@'), urlAllow: config.urlAllow.entries };
}

function sentenceOf(
  issue: { readonly path: readonly PropertyKey[]; readonly message: string },
  given: Readonly<Record<string, string>>,
): string {
  const name = String(issue.path[0]);
  const value = given[name];
  return value === undefined
    ? `${name} is not set; ${issue.message}`
    : `${name} is "${name === 'GALLEY_REDIS_URL' ? '…' : value}"; ${issue.message}`;
}
