import { GalleyError } from '@galley/contract';
import { checkName, checkType } from './submit-limits.ts';

/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Payload and result of each task type of a queue. */
export type TaskTypes = Record<string, { payload: Json; result: Json }>;

/** A payload over this many bytes belongs in a blob (DESIGN §3). */
export const PAYLOAD_LIMIT_BYTES = 8 * 1024;
const TAG_LIMIT = 8;

/** What never changes about a task beside its payload. */
export interface MessageHeader {
  readonly type: string;
  /** Dedup identity, SHA-256 in base64url. */
  readonly identity?: string;
  /** Indexed values, such as `user` and `blob`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Milliseconds a run may take. */
  readonly timeout_ms?: number;
  /** Milliseconds a result is kept. */
  readonly result_ms?: number;
  /** Whose turn it takes under fair order, where that is not its tag `user`. */
  readonly fair_user?: string;
  /** The span of its submit, as W3C Trace Context writes it, where somebody traced. */
  readonly trace?: string;
  /** Holds back tasks of one key: at most `limit` at once, at most `rate` starts in any `rate_ms`. */
  readonly gate?: { readonly key: string; readonly limit?: number; readonly rate?: number; readonly rate_ms?: number };
}

export interface TaskMessage {
  readonly header: MessageHeader;
  readonly payload: Json;
}

/** Throws `invalid_request` for what no task can carry. */
export function encodeHeader(header: MessageHeader): string {
  checkType(header.type);
  if (header.gate !== undefined) checkName('concurrency key', header.gate.key);
  if (header.fair_user !== undefined) checkName('fair user', header.fair_user);
  const tags = Object.entries(header.tags ?? {});
  if (tags.length > TAG_LIMIT) throw new GalleyError('invalid_request', `a task carries at most ${TAG_LIMIT} tags, not ${tags.length}`);
  for (const [kind, value] of tags) {
    if (!/^[a-z_]{1,32}$/.test(kind))
      throw new GalleyError('invalid_request', `"${kind}" is no tag kind: use up to 32 lower-case letters and underscores`);
    if (kind === 'code')
      throw new GalleyError('invalid_request', 'the tag kind "code" is Galley\'s own, for dead letters by code: use another');
    checkName(`tag "${kind}"`, value);
  }
  return JSON.stringify(tags.length === 0 && header.tags !== undefined ? { ...header, tags: undefined } : header);
}

/** Throws `payload_invalid` for what JSON cannot carry, and `payload_too_large`. */
export function encodePayload(payload: Json): string {
  const text = jsonOf(payload ?? null);
  const size = Buffer.byteLength(text);
  if (size > PAYLOAD_LIMIT_BYTES) {
    throw new GalleyError(
      'payload_too_large',
      `the payload is ${size} bytes and the limit is ${PAYLOAD_LIMIT_BYTES}; store it as a blob and submit its hash`,
    );
  }
  return text;
}

function jsonOf(payload: Json): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(payload);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GalleyError('payload_invalid', `the payload is something that JSON cannot carry: ${why}`, { cause });
  }
  if (text === undefined) throw new GalleyError('payload_invalid', `the payload is a ${typeof payload}, which is no data`);
  return text;
}

/** The message as stored: one line of JSON, then the payload. */
export function decodeMessage(stored: string): TaskMessage {
  const end = stored.indexOf('\n');
  if (end < 0) throw new GalleyError('payload_invalid', 'the task has lost its message');
  return { header: JSON.parse(stored.slice(0, end)) as MessageHeader, payload: JSON.parse(stored.slice(end + 1)) as Json };
}
