import * as z from 'zod/mini';
import { GalleyError } from './errors.ts';

/** Who reads a setting; everybody is handed the whole environment. */
export type SettingReader = 'launcher' | 'server' | 'worker' | 'cli' | 'tests';

export interface Setting {
  readonly readers: readonly SettingReader[];
  /** What holds where it is left out, in words. */
  readonly otherwise: string;
  readonly meaning: string;
}

/** Every GALLEY_* setting there is, in the order of docs/operations.md. */
export const SETTINGS = {
  GALLEY_PORT: { readers: ['launcher', 'server'], otherwise: '7300', meaning: 'port of the server' },
  GALLEY_HOST: {
    readers: ['launcher', 'server'],
    otherwise: '127.0.0.1',
    meaning: 'address that the server listens on; any that other machines reach needs tokens',
  },
  GALLEY_ALLOWED_HOSTS: {
    readers: ['server'],
    otherwise: 'its own addresses',
    meaning: 'names, by commas, by which the server may be called besides',
  },
  GALLEY_TOKENS: { readers: ['server'], otherwise: 'none', meaning: 'tokens, users and roles themselves, by commas (Security)' },
  GALLEY_TOKENS_FILE: { readers: ['server'], otherwise: 'none', meaning: 'file of tokens, users and roles (Security)' },
  GALLEY_RATE_LIMIT: {
    readers: ['server'],
    otherwise: '120,000 on loopback, 6,000 elsewhere',
    meaning: 'requests a minute of one user, or without a token of one address',
  },
  GALLEY_REDIS_URL: {
    readers: ['launcher', 'server', 'worker', 'cli'],
    otherwise: "Galley's own Redis",
    meaning: '`redis://…`, `rediss://…`, `unix:/path`, or a comma-separated list for a cluster',
  },
  GALLEY_REDIS_APPENDFSYNC: { readers: ['launcher'], otherwise: 'always', meaning: "`always` or `everysec`, of Galley's own Redis" },
  GALLEY_DATA_DIR: {
    readers: ['launcher', 'server', 'worker', 'cli'],
    otherwise: './data',
    meaning: 'Redis data, uploaded files, page pictures, prepared models, logs',
  },
  GALLEY_WORKERS: { readers: ['launcher'], otherwise: '1', meaning: 'worker processes that `npm start` runs' },
  GALLEY_SLOTS: { readers: ['worker'], otherwise: "the machine's cores", meaning: 'tasks at once per worker, a thread each' },
  GALLEY_SHARDS: { readers: ['server', 'worker'], otherwise: '8', meaning: 'shards of a queue, used when it is created' },
  GALLEY_ORDER: {
    readers: ['server', 'worker'],
    otherwise: 'strict',
    meaning: '`strict`, `aging` or `fair`, used when a queue is created',
  },
  GALLEY_LEASE_MS: { readers: ['server', 'worker'], otherwise: '30000', meaning: 'lease of a running task' },
  GALLEY_GRACE_MS: {
    readers: ['launcher', 'server', 'worker'],
    otherwise: '30000',
    meaning: 'how long what runs may finish when a process stops',
  },
  GALLEY_TIMEOUT_MS: { readers: ['worker'], otherwise: '600000', meaning: 'how long one run may take' },
  GALLEY_CRASH_BUDGET: { readers: ['server', 'worker'], otherwise: '5', meaning: 'crashes that make a dead letter' },
  GALLEY_RESULT_MS: { readers: ['server', 'worker'], otherwise: '3600000', meaning: 'how long a result is kept' },
  GALLEY_RETENTION_MS: { readers: ['server', 'worker'], otherwise: '604800000', meaning: 'how long ended tasks are remembered' },
  GALLEY_DEPTH_LIMIT: {
    readers: ['server'],
    otherwise: '1000000',
    meaning: 'waiting tasks past which submits are refused; 0 for no limit',
  },
  GALLEY_MAX_FILE_BYTES: { readers: ['server', 'worker'], otherwise: '100000000', meaning: 'largest file' },
  GALLEY_MAX_FILES: { readers: ['server'], otherwise: '100', meaning: 'most files in one request' },
  GALLEY_MAX_PAGES: { readers: ['worker'], otherwise: '2000', meaning: 'most pages of a document' },
  GALLEY_MAX_PAGE_PIXELS: { readers: ['worker'], otherwise: '100000000', meaning: 'most pixels of a page' },
  GALLEY_RENDER_DPI: { readers: ['worker'], otherwise: '200', meaning: 'dots per inch at which PDF pages are rendered' },
  GALLEY_THREAD_HEAP_MB: { readers: ['worker'], otherwise: "Node's own limit", meaning: 'megabytes of JavaScript heap of one thread' },
  GALLEY_THREAD_TASKS: { readers: ['worker'], otherwise: 'never', meaning: 'tasks after which a thread is replaced by a fresh one' },
  GALLEY_THREAD_GROWTH_MB: {
    readers: ['worker'],
    otherwise: 'never',
    meaning: 'megabytes by which the memory of a thread alone may grow before it is replaced',
  },
  GALLEY_URL_ALLOW: {
    readers: ['worker'],
    otherwise: 'public addresses only',
    meaning: 'hosts and address ranges, by commas, that `image_url` and `callback_url` may reach although they are private',
  },
  GALLEY_CALLBACK_SECRET: {
    readers: ['server', 'worker'],
    otherwise: 'callbacks are refused',
    meaning: 'secret of at least 16 characters that callbacks are signed with (Callbacks)',
  },
  GALLEY_GLM_OCR_URL: {
    readers: ['server', 'worker'],
    otherwise: 'no such engine',
    meaning: 'address of a GLM-OCR server; opens the engine `glm-ocr` and its queue',
  },
  GALLEY_GLM_OCR_PROTOCOL: {
    readers: ['worker'],
    otherwise: 'chat',
    meaning: '`chat` (`/v1/chat/completions` of vLLM or SGLang) or `parse` (`/glmocr/parse` of GLM-OCR’s own server)',
  },
  GALLEY_GLM_OCR_KEY: { readers: ['worker'], otherwise: 'none', meaning: 'sent to that server as a bearer token; never logged' },
  GALLEY_GLM_OCR_MODEL: { readers: ['worker'], otherwise: 'glm-ocr', meaning: 'name of the model, of `chat`' },
  GALLEY_GLM_OCR_TASK: {
    readers: ['worker'],
    otherwise: 'text',
    meaning: '`text`, `table` or `formula`: what the model is asked to recognise, of `chat`',
  },
  GALLEY_GLM_OCR_SLOTS: {
    readers: ['worker'],
    otherwise: '4',
    meaning: 'tasks of `glm-ocr` at once per worker, beside its `GALLEY_SLOTS`; they wait on the network',
  },
  GALLEY_GLM_OCR_TIMEOUT_MS: { readers: ['worker'], otherwise: '120000', meaning: 'how long that server may take for one page' },
  GALLEY_S3_URL: {
    readers: ['server', 'worker'],
    otherwise: 'files lie in the data directory',
    meaning: 'S3-compatible bucket for files: `https://host/bucket` or `https://host/bucket/prefix`',
  },
  GALLEY_S3_REGION: { readers: ['server', 'worker'], otherwise: 'us-east-1', meaning: 'region of the bucket' },
  GALLEY_S3_KEY: { readers: ['server', 'worker'], otherwise: 'none', meaning: 'access key id for the bucket' },
  GALLEY_S3_SECRET: { readers: ['server', 'worker'], otherwise: 'none', meaning: 'secret access key for the bucket' },
  GALLEY_LOG_LEVEL: {
    readers: ['server', 'worker'],
    otherwise: 'info',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
  },
  GALLEY_CHROMIUM: { readers: ['tests'], otherwise: '/usr/bin/chromium, else Playwright’s own', meaning: 'browser of the browser tests' },
  GALLEY_SHARED_DIR: { readers: ['tests'], otherwise: 'none', meaning: 'folder of sample files that some tests read where it is there' },
  GALLEY_TEST_OUTAGES: { readers: ['tests'], otherwise: '3,10', meaning: 'seconds that Redis is away in the tests of outages, by commas' },
  GALLEY_URL: { readers: ['tests'], otherwise: 'a stack of their own', meaning: 'address of a running stack for the browser tests' },
} as const satisfies Record<string, Setting>;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** A whole number between two bounds, undefined where it is left out. `otherwise` ends the sentence of a refusal. */
export function wholeNumberSetting(least: number, most: number, otherwise: string | number) {
  const rule = `it takes a whole number from ${least} to ${most}; left out, it is ${otherwise}`;
  return z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,15}$/, rule)),
      z.pipe(z.transform(Number), z.number(rule).check(z.minimum(least, rule), z.maximum(most, rule))),
    ),
  );
}

/** A secret, undefined where it is left out. */
export function secretSetting(leastLength: number, otherwise: string) {
  const rule = `it takes at least ${leastLength} printable ASCII characters without spaces; left out, ${otherwise}`;
  return z.optional(z.string().check(z.regex(new RegExp(`^[\\x21-\\x7e]{${leastLength},}$`), rule)));
}

/** One of some words, undefined where it is left out. */
export function wordSetting<const Word extends string>(words: readonly Word[], otherwise: string) {
  return z.optional(z.enum(words, `it takes ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}; left out, it is ${otherwise}`));
}

/** What may hold a password, or what can be guessed from its hash; a sentence about it must not show it. */
const SECRET_SETTINGS = new Set([
  'GALLEY_S3_SECRET',
  'GALLEY_REDIS_URL',
  'GALLEY_TOKENS',
  'GALLEY_CALLBACK_SECRET',
  'GALLEY_GLM_OCR_URL',
  'GALLEY_GLM_OCR_KEY',
]);

/** An empty variable counts as left out. Throws where a name is nobody's: a slip of the pen would be ignored in silence. */
function ownSettings(environment: Environment, own: readonly string[]): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    const text = value?.trim() ?? '';
    return name.startsWith('GALLEY_') && text !== '' ? [[name, text]] : [];
  });
  const unknown = given.map(([name]) => name).filter((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown.length > 0) {
    throw new GalleyError(
      'invalid_request',
      `${unknown.join(', ')}: no setting has this name. Correct or unset it; the settings are ${Object.keys(SETTINGS).join(', ')}.`,
    );
  }
  return Object.fromEntries(given.filter(([name]) => own.includes(name)));
}

/**
 * Reads a program's own settings out of the environment, by its schema of GALLEY_* names.
 * @throws GalleyError `invalid_request` with a sentence that names each setting at fault and what it takes
 */
export function readSettings<Shape extends z.core.$ZodShape>(
  environment: Environment,
  schema: z.ZodMiniObject<Shape>,
): z.infer<typeof schema> {
  const own = ownSettings(environment, Object.keys(schema.shape));
  const parsed = schema.safeParse(own);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? 'GALLEY_*');
    const value = own[name];
    const state = value === undefined ? 'is not set' : SECRET_SETTINGS.has(name) ? 'is set' : `is "${value}"`;
    return `${name} ${state}; ${issue.message.replace(/\.$/, '')}.`;
  });
  throw new GalleyError('invalid_request', [...new Set(faults)].join(' '));
}

/** A web address that programs are told by a setting, undefined where it is left out. It carries no password: those have settings of their own. */
export function addressSetting(example: string) {
  const rule = `it takes an http or https address without user name, query or fragment, such as ${example}`;
  const isAddress = (text: string): boolean => {
    if (!URL.canParse(text)) return false;
    const { protocol, username, password, search, hash } = new URL(text);
    return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
  };
  return z.optional(z.string().check(z.refine(isAddress, rule)));
}

/** A Redis address without its password, as it may be printed. */
export function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/]*@/g, '//***@');
}
