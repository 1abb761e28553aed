import { isIP } from 'node:net';
import path from 'node:path';
import { FILES_PER_REQUEST, GalleyError, ORDER_POLICIES } from '@galley/contract';
import { DEFAULT_QUEUE_SETTINGS, DEFAULT_SHARDS } from '@galley/core';
import * as z from 'zod/mini';

// zod/mini has no messages of its own, and ours are read by people.
z.config(z.locales.en());

/** Settings that only the launcher, workers or tests read; the whole environment is handed to all of them. */
const SETTINGS_OF_OTHERS = [
  'GALLEY_CHROMIUM',
  'GALLEY_MAX_PAGES',
  'GALLEY_MAX_PAGE_PIXELS',
  'GALLEY_OCR_CACHE_DIR',
  'GALLEY_REDIS_APPENDFSYNC',
  'GALLEY_RENDER_DPI',
  'GALLEY_SHARED_DIR',
  'GALLEY_SLOTS',
  'GALLEY_THREAD_HEAP_MB',
  'GALLEY_TIMEOUT_MS',
  'GALLEY_URL',
  'GALLEY_URL_ALLOW',
  'GALLEY_WORKERS',
] as const;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const DAY_MS = 86_400_000;

function wholeNumber(least: number, most: number, otherwise: number) {
  const rule = `it takes a whole number from ${least} to ${most}; left out, it is ${otherwise}`;
  const digits = z.string().check(z.regex(/^\d{1,15}$/, rule));
  return z._default(
    z.pipe(digits, z.pipe(z.transform(Number), z.number(rule).check(z.minimum(least, rule), z.maximum(most, rule)))),
    otherwise,
  );
}

function oneOf<const Word extends string>(words: readonly Word[], otherwise: NoInfer<Word>) {
  return z._default(
    z.enum(words, `it takes ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}; left out, it is ${otherwise}`),
    otherwise,
  );
}

const hostName = /^[A-Za-z0-9._-]{1,253}$/;
const isHost = (text: string): boolean => isIP(text) !== 0 || hostName.test(text);

const settingsSchema = z.strictObject({
  GALLEY_REDIS_URL: z.string('it is needed: npm start sets it, and a server started by itself needs one such as redis://127.0.0.1:6379'),
  GALLEY_PORT: wholeNumber(0, 65_535, 7_300),
  GALLEY_HOST: z._default(
    z.string().check(z.refine(isHost, 'it takes an IP address or a host name; left out, it is 127.0.0.1')),
    '127.0.0.1',
  ),
  GALLEY_DATA_DIR: z._default(z.string(), './data'),
  GALLEY_SHARDS: wholeNumber(1, 1_024, DEFAULT_SHARDS),
  GALLEY_ORDER: oneOf(ORDER_POLICIES, 'strict'),
  GALLEY_LEASE_MS: wholeNumber(200, DAY_MS, DEFAULT_QUEUE_SETTINGS.leaseMs),
  GALLEY_RESULT_MS: wholeNumber(1_000, 365 * DAY_MS, DEFAULT_QUEUE_SETTINGS.resultMs),
  GALLEY_RETENTION_MS: wholeNumber(1_000, 3_650 * DAY_MS, DEFAULT_QUEUE_SETTINGS.retentionMs),
  GALLEY_CRASH_BUDGET: wholeNumber(1, 100, DEFAULT_QUEUE_SETTINGS.crashBudget),
  GALLEY_DEPTH_LIMIT: wholeNumber(0, 1_000_000_000, 1_000_000),
  GALLEY_GRACE_MS: wholeNumber(0, DAY_MS, 30_000),
  GALLEY_TOKENS_FILE: z.optional(z.string()),
  GALLEY_MAX_FILE_BYTES: wholeNumber(1, 10_000_000_000, 100_000_000),
  GALLEY_MAX_FILES: wholeNumber(1, 1_000, FILES_PER_REQUEST),
  GALLEY_ALLOWED_HOSTS: z._default(
    z.pipe(
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
    ),
    [],
  ),
  GALLEY_RATE_LIMIT: wholeNumber(0, 10_000_000, 0),
  GALLEY_LOG_LEVEL: oneOf(LOG_LEVELS, 'info'),
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
  readonly tokensFile: string | undefined;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Host names, beside its own addresses, by which the server may be called. */
  readonly allowedHosts: readonly string[];
  /** Requests a minute from one address. */
  readonly rateLimit: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether an address that is listened on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Requests a minute from one address, where the setting leaves it open: on loopback one person's scripts are the only callers. */
const RATE_LIMIT_LOOPBACK = 120_000;
const RATE_LIMIT_NETWORK = 6_000;

function ownSettings(environment: Environment): Record<string, string> {
  const others: ReadonlySet<string> = new Set(SETTINGS_OF_OTHERS);
  const own = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    const text = value?.trim() ?? '';
    return name.startsWith('GALLEY_') && text !== '' && !others.has(name) ? [[name, text]] : [];
  });
  const known = Object.keys(settingsSchema.shape);
  const unknown = own.map(([name]) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new GalleyError(
      'invalid_request',
      `${unknown.join(', ')}: no setting has this name. Correct or unset it; the settings are ${known.join(', ')}.`,
    );
  }
  return Object.fromEntries(own);
}

/**
 * Reads the environment once.
 * @throws GalleyError `invalid_request` with a sentence that names each setting at fault and what it takes
 */
export function parseConfig(environment: Environment = process.env, workingDirectory: string = process.cwd()): Config {
  const own = ownSettings(environment);
  const parsed = settingsSchema.safeParse(own);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? 'GALLEY_*');
      const value = own[name];
      return `${name} ${value === undefined ? 'is not set' : `is "${value}"`}; ${issue.message}.`;
    });
    throw new GalleyError('invalid_request', [...new Set(faults)].join(' '));
  }
  const settings = parsed.data;
  const loopback = isLoopback(settings.GALLEY_HOST);
  if (!loopback && settings.GALLEY_TOKENS_FILE === undefined) {
    throw new GalleyError(
      'invalid_request',
      `GALLEY_HOST is "${settings.GALLEY_HOST}", which other machines can reach, and no tokens are configured. ` +
        'Set GALLEY_TOKENS_FILE to a file of token hashes, or listen on 127.0.0.1.',
    );
  }
  return {
    redisUrl: settings.GALLEY_REDIS_URL,
    host: settings.GALLEY_HOST,
    port: settings.GALLEY_PORT,
    dataDirectory: path.resolve(workingDirectory, settings.GALLEY_DATA_DIR),
    // What nobody asked for is not compared with what the queue was created with.
    shards: own.GALLEY_SHARDS === undefined ? undefined : settings.GALLEY_SHARDS,
    order: own.GALLEY_ORDER === undefined ? undefined : settings.GALLEY_ORDER,
    leaseMs: settings.GALLEY_LEASE_MS,
    resultMs: settings.GALLEY_RESULT_MS,
    retentionMs: settings.GALLEY_RETENTION_MS,
    crashBudget: settings.GALLEY_CRASH_BUDGET,
    depthLimit: settings.GALLEY_DEPTH_LIMIT,
    graceMs: settings.GALLEY_GRACE_MS,
    tokensFile: settings.GALLEY_TOKENS_FILE === undefined ? undefined : path.resolve(workingDirectory, settings.GALLEY_TOKENS_FILE),
    maxFileBytes: settings.GALLEY_MAX_FILE_BYTES,
    maxFiles: settings.GALLEY_MAX_FILES,
    allowedHosts: settings.GALLEY_ALLOWED_HOSTS,
    rateLimit: settings.GALLEY_RATE_LIMIT === 0 ? (loopback ? RATE_LIMIT_LOOPBACK : RATE_LIMIT_NETWORK) : settings.GALLEY_RATE_LIMIT,
    logLevel: settings.GALLEY_LOG_LEVEL,
  };
}

/** The configuration as it may be printed: no password of a Redis address. */
export function redacted(config: Config): Record<string, unknown> {
  return { ...config, redisUrl: config.redisUrl.replace(/\/\/[^@/,]*@/g, '//***@') };
}
