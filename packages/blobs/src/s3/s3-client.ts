import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GalleyError } from '@galley/contract';
import { type S3Keys, signRequest } from './sign-request.ts';

/** An S3-compatible bucket. */
export interface S3Location extends S3Keys {
  /** `https://host[:port]/bucket[/prefix]`, without a slash at its end. */
  readonly url: string;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Below the bucket's prefix; left out: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each attempt. Its length and hash stand in the headers. */
  readonly body?: () => Readable;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const IDLE_LIMIT_MS = 60_000;

/** Sends signed requests to one bucket. Errors of the network and 5xx are tried again; what is answered otherwise is the caller's. */
export class S3Client {
  readonly bucket: string;
  readonly prefix: string;
  readonly #location: S3Location;
  readonly #origin: string;

  constructor(location: S3Location) {
    this.#location = location;
    const { origin, pathname } = new URL(location.url);
    const [, bucket = '', ...prefix] = pathname.split('/');
    this.bucket = bucket;
    this.prefix = prefix
      .filter(Boolean)
      .map((part) => `${part}/`)
      .join('');
    this.#origin = origin;
  }

  /** @throws GalleyError `internal_error` that names the bucket where it cannot be reached or refuses */
  async send(request: S3Request): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#sendOnce(request);
        const { statusCode = 0 } = response;
        if (statusCode < 500 && statusCode !== 401 && statusCode !== 403) return response;
        response.resume();
        throw new S3Refusal(statusCode);
      } catch (cause) {
        const isFinal = cause instanceof S3Refusal && cause.status < 500;
        if (isFinal || attempt === ATTEMPTS) throw this.#failure(request, cause);
        await new Promise((resolve) => {
          setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt);
        });
      }
    }
  }

  async #sendOnce({ method, key, query = {}, headers = {}, body }: S3Request): Promise<IncomingMessage> {
    const url = new URL(`${this.#origin}/${this.bucket}${key === undefined ? '' : `/${this.prefix}${key}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await signRequest({ method, url: url.href, headers }, this.#location);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(signed.url, {
      method,
      headers: signed.headers,
      timeout: IDLE_LIMIT_MS,
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
      request.once('timeout', () => request.destroy(new Error(`nothing was heard for ${IDLE_LIMIT_MS} ms`)));
    });
    if (body === undefined) request.end();
    // A server that refuses early ends the upload; its answer says why.
    else await Promise.race([pipeline(body(), request), answered]);
    return answered;
  }

  #failure({ method }: S3Request, cause: unknown): GalleyError {
    const reason = cause instanceof S3Refusal ? `it answered ${cause.status}` : cause instanceof Error ? cause.message : String(cause);
    const help =
      cause instanceof S3Refusal && cause.status < 500 ? ' Check GALLEY_S3_KEY, GALLEY_S3_SECRET and their rights on the bucket.' : '';
    return new GalleyError('internal_error', `The bucket ${this.bucket} at ${this.#origin} failed on ${method}: ${reason}.${help}`, {
      cause,
    });
  }
}

class S3Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

/** Reads an answer to its end, so that its connection can be used again. */
export async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks);
}
