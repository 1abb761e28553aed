import { ROUTES, type RouteName, routePath } from '@galley/contract';
import type * as z from 'zod/mini';
import { isAbort, unexpectedAnswer, unreachable } from './error.ts';
import type * as parsingModule from './parsing.ts';

export type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface CallOptions {
  /** `:name` parameters of the route. */
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The address of a call: the route's path with its parameters, and a query without what is unset. Lists are joined by commas. */
export function routeUrl(name: RouteName, options: Pick<CallOptions, 'params' | 'query'> = {}): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(options.query ?? {})) {
    if (value === undefined || value === '') continue;
    query.set(key, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = query.toString();
  return routePath(name, options.params) + (text === '' ? '' : `?${text}`);
}

type Watcher = (error: { readonly code: string; readonly status: number }) => void;
const refusals = new Set<Watcher>();

/** Hears of every refused call; the session uses it to send a person whose session ended to sign in. Returns its own undoing. */
export function onRefusal(watcher: Watcher): () => void {
  refusals.add(watcher);
  return () => refusals.delete(watcher);
}

type Parsing = typeof parsingModule;
/** Chooses an answer's schema, when the schemas have come. */
export type SchemaChoice<T> = (schemas: Parsing['schemas']) => z.ZodMiniType<T>;

let parsing: Promise<Parsing> | null = null;

/** The contract's schemas and what parses by them. They come beside the first answer, so that the first paint need not wait for them. */
function loadParsing(): Promise<Parsing> {
  parsing ??= import('./parsing.ts').catch((error: unknown) => {
    parsing = null;
    throw unreachable(error);
  });
  return parsing;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedAnswer(response.status, `HTTP ${response.status} with a body that is not JSON`);
  }
}

/** The answer of a route, whatever its status. An aborted call throws the browser's AbortError; no answer is an ApiError. */
export async function callAny(name: RouteName, options: CallOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  try {
    return await fetch(routeUrl(name, options), {
      method: ROUTES[name].method,
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      credentials: 'same-origin',
      signal: options.signal ?? null,
    });
  } catch (error) {
    throw isAbort(error) ? error : unreachable(error);
  }
}

/** The raw answer of a route, refused ones thrown as ApiError; for bodies that are not JSON (images, Markdown, hOCR, PDF). */
export async function callRaw(name: RouteName, options: CallOptions = {}): Promise<Response> {
  const response = await callAny(name, options);
  if (response.ok) return response;
  const { errorOfAnswer } = await loadParsing();
  const error = errorOfAnswer(response.status, await readJson(response).catch(() => undefined), response.headers.get('retry-after'));
  for (const watcher of refusals) watcher(error);
  throw error;
}

/** Reads the body of an answer by the contract. */
export async function parseBody<T>(response: Response, name: RouteName, choose: SchemaChoice<T>): Promise<T> {
  const [{ parseAnswer, schemas }, body] = await Promise.all([loadParsing(), readJson(response)]);
  return parseAnswer(choose(schemas), body, response.status, name);
}

/** Calls a route and parses its answer by the contract's schema. */
export async function call<T>(name: RouteName, choose: SchemaChoice<T>, options: CallOptions = {}): Promise<T> {
  const [response] = await Promise.all([callRaw(name, options), loadParsing()]);
  return parseBody(response, name, choose);
}

/** Calls a route whose answer has no body. */
export async function callEmpty(name: RouteName, options: CallOptions = {}): Promise<void> {
  await callRaw(name, options);
}
