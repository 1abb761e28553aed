import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { BlobInfo, BlobStore } from '@galley/blobs';
import { GalleyError, retryAfterMs } from '@galley/contract';
import type { AllowList } from './allow-list.ts';
import { checkUrl, guardedLookup, hostOf, type Resolve, resolveBySystem } from './guard.ts';

export interface FetchOptions {
  readonly blobs: BlobStore;
  readonly allow: AllowList;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Milliseconds for all of it, redirects and body included, however slowly it drips. */
  readonly limitMs?: number;
  readonly resolve?: Resolve;
  /** Milliseconds since 1970, for a Retry-After that names a date. */
  readonly now?: () => number;
}

const FETCH_LIMIT_MS = 120_000;
const REDIRECTS = 5;
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a URL into the blob store, guarded against reaching what only this machine can reach (DESIGN §7).
 *
 * Throws GalleyError: `url_not_allowed`, `fetch_failed` (no connection, 408, 5xx, too slow: worth another try), `fetch_rejected` (another
 * status), `upstream_rate_limited` (429, with its Retry-After), `file_too_large`; the signal's reason when aborted.
 */
export async function fetchUrl(address: string, options: FetchOptions): Promise<BlobInfo> {
  const limitMs = options.limitMs ?? FETCH_LIMIT_MS;
  const late = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([options.signal, late]);
  try {
    const response = await follow(parseUrl(address), options, signal);
    return await store(response, options, signal);
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    if (late.aborted) throw new GalleyError('fetch_failed', `The URL took longer than ${limitMs} ms.`, { cause: error });
    if (error instanceof GalleyError) throw error;
    throw new GalleyError('fetch_failed', `The URL could not be fetched: ${reasonOf(error)}.`, { cause: error });
  }
}

function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new GalleyError('url_not_allowed', `"${text.slice(0, 200)}" is not a URL.`);
  return new URL(text, base);
}

async function follow(first: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    checkUrl(url, options.allow);
    const response = await get(url, options, signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (!REDIRECT_STATUS.has(status) || location === undefined) {
      if (status === 200) return response;
      response.destroy();
      throw refusal(url, status, retryAfterMs(response.headers['retry-after'], options.now ?? Date.now));
    }
    response.destroy();
    if (redirects === REDIRECTS) throw new GalleyError('fetch_rejected', `The URL was redirected more than ${REDIRECTS} times.`);
    url = parseUrl(location, url);
  }
}

function get(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      // A connection of its own, so that every request passes through the guarded look-up.
      agent: false,
      lookup: guardedLookup(options.resolve ?? resolveBySystem, options.allow),
      signal,
      headers: { accept: 'image/*, application/pdf;q=0.9, */*;q=0.1', 'accept-encoding': 'identity', 'user-agent': 'galley' },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end();
  });
}

function refusal(url: URL, status: number, waitMs: number | undefined): GalleyError {
  const host = hostOf(url);
  if (status === 429) {
    return new GalleyError(
      'upstream_rate_limited',
      `${host} answered 429: too many requests.`,
      waitMs === undefined ? {} : { retryAfterMs: waitMs },
    );
  }
  if (status === 408 || status >= 500) return new GalleyError('fetch_failed', `${host} answered ${status}.`);
  return new GalleyError('fetch_rejected', `${host} answered ${status}.`);
}

async function store(response: IncomingMessage, { blobs, maxBytes }: FetchOptions, signal: AbortSignal): Promise<BlobInfo> {
  const tooLarge = (): GalleyError => new GalleyError('file_too_large', `The URL's file is over the limit of ${maxBytes} bytes.`);
  const encoding = response.headers['content-encoding'] ?? 'identity';
  const writer = blobs.writer();
  try {
    if (encoding !== 'identity')
      throw new GalleyError('fetch_rejected', `The URL's server sent the file as ${encoding} although that was not asked for.`);
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    for await (const chunk of response) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a response body came as text');
      signal.throwIfAborted();
      if (writer.size + chunk.byteLength > maxBytes) throw tooLarge();
      await writer.write(chunk);
    }
    signal.throwIfAborted();
    return await writer.commit();
  } catch (error) {
    response.destroy();
    await writer.abort();
    throw error;
  }
}

/** AggregateError (one error for each address tried) has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
