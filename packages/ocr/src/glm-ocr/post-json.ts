import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { GalleyError, retryAfterMs } from '@galley/contract';

export interface PostOptions {
  /** Sent as a bearer token. */
  readonly key: string | undefined;
  /** Milliseconds for all of it, however slowly the answer drips. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds since 1970, for a Retry-After that names a date. */
  readonly now: () => number;
}

/** The longest answer that is read; a dense page is some 100 kB. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
/** Bytes of a refusal that are read for its reason. */
const MOST_REASON_BYTES = 4_096;
const REASON_LENGTH = 200;

/**
 * Posts JSON to the engine's server and resolves with the text of its 200.
 *
 * Throws GalleyError by class, never by words (DESIGN P7): `upstream_failed` (no connection, cut short, too slow, 408, 425, 5xx: worth
 * another try), `upstream_rate_limited` (429, with its Retry-After), `upstream_rejected` (any other status); the signal's reason when
 * aborted, and then the request has been given up.
 */
export async function postJson(address: URL, body: object, options: PostOptions): Promise<string> {
  const late = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([options.signal, late]);
  try {
    options.signal?.throwIfAborted();
    const response = await send(address, JSON.stringify(body), options.key, signal);
    if (response.statusCode !== 200) throw await refusalOf(response, address, options);
    const { text, whole } = await readText(response, MOST_ANSWER_BYTES);
    if (!whole) throw new GalleyError('upstream_failed', `${address.host} answered more than ${MOST_ANSWER_BYTES} bytes.`);
    return text;
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason;
    if (error instanceof GalleyError) throw error;
    if (late.aborted) {
      throw new GalleyError('upstream_failed', `${address.host} had not answered after ${options.timeoutMs} ms.`, { cause: error });
    }
    throw new GalleyError('upstream_failed', `${address.host} could not be asked: ${reasonOf(error)}.`, { cause: error });
  }
}

function send(address: URL, body: string, key: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (address.protocol === 'https:' ? requestHttps : requestHttp)(address, {
      method: 'POST',
      // A connection of its own: one that was kept may have been closed by the server, which would look like a failure.
      agent: false,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json',
        'user-agent': 'galley',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(body);
  });
}

/** Reads a body, or as much of it as may be read. */
async function readText(response: IncomingMessage, mostBytes: number): Promise<{ text: string; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a response body came as text');
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > mostBytes) {
      response.destroy();
      return { text: Buffer.concat(chunks).toString('utf8', 0, mostBytes), whole: false };
    }
  }
  return { text: Buffer.concat(chunks).toString('utf8'), whole: true };
}

async function refusalOf(response: IncomingMessage, address: URL, { key, now }: PostOptions): Promise<GalleyError> {
  const status = response.statusCode ?? 0;
  // The status is what counts; a reason that breaks off is read as far as it goes.
  const reason = await readText(response, MOST_REASON_BYTES).then(
    ({ text }) => shorten(key === undefined ? text : text.replaceAll(key, '***')),
    () => '',
  );
  response.destroy();
  const message = `${address.host} answered ${status}${reason === '' ? '.' : `: ${reason}`}`;
  const waitMs = retryAfterMs(response.headers['retry-after'], now);
  const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  if (status === 429) return new GalleyError('upstream_rate_limited', message, wait);
  if (status === 408 || status === 425 || status >= 500) return new GalleyError('upstream_failed', message, wait);
  return new GalleyError('upstream_rejected', message);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > REASON_LENGTH ? `${line.slice(0, REASON_LENGTH)}…` : line;
}

/** AggregateError (one error for each address tried) has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
