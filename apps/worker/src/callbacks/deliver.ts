import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import {
  CALLBACK_DELIVERY_HEADER,
  CALLBACK_EVENT_HEADER,
  CALLBACK_SIGNATURE_HEADER,
  type CallbackPayload,
  GalleyError,
} from '@galley/contract';
import type { AllowList } from '../fetch/allow-list.ts';
import { checkUrl, guardedLookup, hostOf, type Resolve, resolveBySystem } from '../fetch/guard.ts';
import { signatureOf } from './signature.ts';

export interface DeliverOptions {
  readonly secret: string;
  readonly allow: AllowList;
  readonly signal: AbortSignal;
  /** The id of the callback's own task. */
  readonly deliveryId: string;
  /** Milliseconds from connecting to the receiver's status. */
  readonly limitMs?: number;
  readonly resolve?: Resolve;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const LIMIT_MS = 10_000;

/**
 * Posts a callback, signed, through the same guard as `image_url`; redirects are not followed, since a body that was signed for one
 * address is not for another.
 * @returns the receiver's status, 200 to 299
 * @throws GalleyError `url_not_allowed`, `fetch_failed` (no answer, 408, 5xx: worth another try), `upstream_rate_limited` (429),
 *   `fetch_rejected` (another status); the signal's reason when aborted
 */
export async function deliverCallback({ url: address, body }: CallbackPayload, options: DeliverOptions): Promise<number> {
  if (!URL.canParse(address)) throw new GalleyError('url_not_allowed', 'The callback_url is not a URL.');
  const url = new URL(address);
  checkUrl(url, options.allow);
  const limitMs = options.limitMs ?? LIMIT_MS;
  const late = AbortSignal.timeout(limitMs);
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'user-agent': 'galley',
    [CALLBACK_EVENT_HEADER]: body.event,
    [CALLBACK_DELIVERY_HEADER]: options.deliveryId,
    [CALLBACK_SIGNATURE_HEADER]: signatureOf(options.secret, text, (options.now ?? Date.now)()),
  };
  try {
    const response = await post(url, text, headers, options, AbortSignal.any([options.signal, late]));
    // Whatever else the receiver says is not waited for.
    response.destroy();
    return accepted(hostOf(url), response);
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    if (late.aborted) throw new GalleyError('fetch_failed', `${hostOf(url)} did not answer within ${limitMs} ms.`, { cause: error });
    if (error instanceof GalleyError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new GalleyError('fetch_failed', `The callback could not be delivered to ${hostOf(url)}: ${reason}.`, { cause: error });
  }
}

function post(
  url: URL,
  text: string,
  headers: Readonly<Record<string, string>>,
  { allow, resolve }: DeliverOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((fulfil, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      // A connection of its own, so that every delivery passes through the guarded look-up.
      agent: false,
      lookup: guardedLookup(resolve ?? resolveBySystem, allow),
      signal,
      headers,
    });
    request.once('response', fulfil);
    request.once('error', reject);
    request.end(text);
  });
}

function accepted(host: string, response: IncomingMessage): number {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return status;
  if (status === 429) {
    const seconds = Number(response.headers['retry-after']);
    const wait = Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {};
    throw new GalleyError('upstream_rate_limited', `${host} answered the callback with 429.`, wait);
  }
  const isPassing = status === 408 || status >= 500;
  throw new GalleyError(isPassing ? 'fetch_failed' : 'fetch_rejected', `${host} answered the callback with ${status}.`);
}
