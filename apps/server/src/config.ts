import { isIP } from 'node:net';
import path from 'node:path';
import { type S3Location, s3LocationOf } from '@galley/blobs';
import {
  addressSetting,
  CALLBACK_SECRET_LENGTH,
  type Environment,
  FILES_PER_REQUEST,
  GalleyError,
  LOG_LEVELS,
  type LogLevel,
  ORDER_POLICIES,
  readSettings,
  SETTINGS,
  secretSetting,
  wholeNumberSetting,
  withoutPassword,
  wordSetting,
} from '@galley/contract';
import { DEFAULT_QUEUE_SETTINGS, DEFAULT_SHARDS } from '@galley/core';
import * as z from 'zod/mini';

// zod/mini has no messages of its own, and ours are read by people.
z.config(z.locales.en());

const DAY_MS = 86_400_000;
const DEFAULT_PORT = 7_300;
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_DEPTH_LIMIT = 1_000_000;
const DEFAULT_GRACE_MS = 30_000;
const DEFAULT_MAX_FILE_BYTES = 100_000_000;

const hostName = /^[A-Za-z0-9._-]{1,253}$/;
const isHost = (text: string): boolean => isIP(text) !== 0 || hostName.test(text);

const hostList = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) =>
      text
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter(Boolean),
    ),
    z.array(z.string().check(z.refine(isHost, 'it takes host names without port, separated by commas'))),
  ),
);

const settingsSchema = z.object({
  GALLEY_REDIS_URL: z.string('it is needed: npm start sets it, and a server started by itself needs one such as redis://127.0.0.1:6379'),
  GALLEY_PORT: wholeNumberSetting(0, 65_535, DEFAULT_PORT),
  GALLEY_HOST: z.optional(z.string().check(z.refine(isHost, `it takes an IP address or a host name; left out, it is ${DEFAULT_HOST}`))),
  GALLEY_DATA_DIR: z.optional(z.string()),
  GALLEY_SHARDS: wholeNumberSetting(1, 1_024, DEFAULT_SHARDS),
  GALLEY_ORDER: wordSetting(ORDER_POLICIES, 'strict'),
  GALLEY_LEASE_MS: wholeNumberSetting(200, DAY_MS, DEFAULT_QUEUE_SETTINGS.leaseMs),
  GALLEY_RESULT_MS: wholeNumberSetting(1_000, 365 * DAY_MS, DEFAULT_QUEUE_SETTINGS.resultMs),
  GALLEY_RETENTION_MS: wholeNumberSetting(1_000, 3_650 * DAY_MS, DEFAULT_QUEUE_SETTINGS.retentionMs),
  GALLEY_CRASH_BUDGET: wholeNumberSetting(1, 100, DEFAULT_QUEUE_SETTINGS.crashBudget),
  GALLEY_DEPTH_LIMIT: wholeNumberSetting(0, 1_000_000_000, DEFAULT_DEPTH_LIMIT),
  GALLEY_GRACE_MS: wholeNumberSetting(0, DAY_MS, DEFAULT_GRACE_MS),
  GALLEY_TOKENS: z.optional(z.string()),
  GALLEY_TOKENS_FILE: z.optional(z.string()),
  GALLEY_MAX_FILE_BYTES: wholeNumberSetting(1, 10_000_000_000, DEFAULT_MAX_FILE_BYTES),
  GALLEY_MAX_FILES: wholeNumberSetting(1, 1_000, FILES_PER_REQUEST),
  GALLEY_ALLOWED_HOSTS: z.optional(hostList),
  GALLEY_RATE_LIMIT: wholeNumberSetting(0, 10_000_000, SETTINGS.GALLEY_RATE_LIMIT.otherwise),
  GALLEY_CALLBACK_SECRET: secretSetting(CALLBACK_SECRET_LENGTH, SETTINGS.GALLEY_CALLBACK_SECRET.otherwise),
  GALLEY_S3_URL: z.optional(z.string()),
  GALLEY_S3_REGION: z.optional(z.string()),
  GALLEY_S3_KEY: z.optional(z.string()),
  GALLEY_S3_SECRET: z.optional(z.string()),
  GALLEY_LOG_LEVEL: wordSetting(LOG_LEVELS, 'info'),
  GALLEY_GLM_OCR_URL: addressSetting('http://127.0.0.1:8080'),
});

/** What the server was told by its environment; all times in milliseconds. */
export interface Config {
  readonly redisUrl: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absolute. */
  readonly dataDirectory: string;
  readonly shards: number | undefined;
  readonly order: (typeof ORDER_POLICIES)[number] | undefined;
  readonly leaseMs: number;
  readonly resultMs: number;
  /** How long ended tasks are remembered. */
  readonly retentionMs: number;
  readonly crashBudget: number;
  /** Waiting tasks past which submit is refused; 0 for none. */
  readonly depthLimit: number;
  /** How long requests under way may take when the server stops. */
  readonly graceMs: number;
  /** Entries of tokens, unparsed. */
  readonly tokens: string | undefined;
  readonly tokensFile: string | undefined;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Host names, beside its own addresses, by which the server may be called. */
  readonly allowedHosts: readonly string[];
  /** Requests a minute from one address. */
  readonly rateLimit: number;
  /** Whether workers can sign callbacks, so that they may be asked for. */
  readonly sendsCallbacks: boolean;
  /** Undefined: files lie in the data directory. */
  readonly s3: S3Location | undefined;
  readonly logLevel: LogLevel;
  /** Workers are told of a GLM-OCR server, so its engine may be asked for. */
  readonly hasGlmOcr: boolean;
}

/** Whether an address that is listened on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Requests a minute from one address, where the setting leaves it open: on loopback one person's scripts are the only callers. */
const RATE_LIMIT_LOOPBACK = 120_000;
const RATE_LIMIT_NETWORK = 6_000;

/**
 * Reads the environment once.
 * @throws GalleyError `invalid_request` with a sentence that names each setting at fault and what it takes
 */
export function parseConfig(environment: Environment = process.env, workingDirectory: string = process.cwd()): Config {
  const settings = readSettings(environment, settingsSchema);
  const host = settings.GALLEY_HOST ?? DEFAULT_HOST;
  const rateLimit = settings.GALLEY_RATE_LIMIT ?? 0;
  const loopback = isLoopback(host);
  if (!loopback && settings.GALLEY_TOKENS_FILE === undefined && settings.GALLEY_TOKENS === undefined) {
    throw new GalleyError(
      'invalid_request',
      `GALLEY_HOST is "${host}", which other machines can reach, and no tokens are configured. ` +
        'Set GALLEY_TOKENS_FILE to a file of token hashes (or GALLEY_TOKENS to the entries), or listen on 127.0.0.1.',
    );
  }
  return {
    redisUrl: settings.GALLEY_REDIS_URL,
    host,
    port: settings.GALLEY_PORT ?? DEFAULT_PORT,
    dataDirectory: path.resolve(workingDirectory, settings.GALLEY_DATA_DIR ?? './data'),
    // What nobody asked for is not compared with what the queue was created with.
    shards: settings.GALLEY_SHARDS,
    order: settings.GALLEY_ORDER,
    leaseMs: settings.GALLEY_LEASE_MS ?? DEFAULT_QUEUE_SETTINGS.leaseMs,
    resultMs: settings.GALLEY_RESULT_MS ?? DEFAULT_QUEUE_SETTINGS.resultMs,
    retentionMs: settings.GALLEY_RETENTION_MS ?? DEFAULT_QUEUE_SETTINGS.retentionMs,
    crashBudget: settings.GALLEY_CRASH_BUDGET ?? DEFAULT_QUEUE_SETTINGS.crashBudget,
    depthLimit: settings.GALLEY_DEPTH_LIMIT ?? DEFAULT_DEPTH_LIMIT,
    graceMs: settings.GALLEY_GRACE_MS ?? DEFAULT_GRACE_MS,
    tokens: settings.GALLEY_TOKENS,
    tokensFile: settings.GALLEY_TOKENS_FILE === undefined ? undefined : path.resolve(workingDirectory, settings.GALLEY_TOKENS_FILE),
    maxFileBytes: settings.GALLEY_MAX_FILE_BYTES ?? DEFAULT_MAX_FILE_BYTES,
    maxFiles: settings.GALLEY_MAX_FILES ?? FILES_PER_REQUEST,
    allowedHosts: settings.GALLEY_ALLOWED_HOSTS ?? [],
    rateLimit: rateLimit === 0 ? (loopback ? RATE_LIMIT_LOOPBACK : RATE_LIMIT_NETWORK) : rateLimit,
    sendsCallbacks: settings.GALLEY_CALLBACK_SECRET !== undefined,
    s3: s3LocationOf(settings),
    logLevel: settings.GALLEY_LOG_LEVEL ?? 'info',
    hasGlmOcr: settings.GALLEY_GLM_OCR_URL !== undefined,
  };
}

/** The configuration as it may be printed: no password of a Redis address, no hash of a token, no secret of a bucket. */
export function redacted(config: Config): Record<string, unknown> {
  const { redisUrl, tokens, s3 } = config;
  return {
    ...config,
    redisUrl: withoutPassword(redisUrl),
    tokens: tokens === undefined ? undefined : '***',
    s3: s3 === undefined ? undefined : { ...s3, secretAccessKey: '***' },
  };
}
