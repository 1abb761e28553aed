import { GalleyError } from '@galley/contract';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type * as z from 'zod/mini';
import type { Principal } from '../session/principal.ts';

/** One request under way, with who sent it. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly principal: Principal;
  readonly logger: Logger;
}

export type Handler = (exchange: Exchange) => Promise<void>;

/** Longer lists of faults help nobody. */
const FAULTS_SHOWN = 5;

/**
 * Parses what a client sent.
 * @throws GalleyError `invalid_request` that names each field at fault
 */
export function parseInput<Output>(schema: z.ZodMiniType<Output>, value: unknown, what: string): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GalleyError('invalid_request', `${what}: ${faultsOf(parsed.error.issues)}`);
}

export function faultsOf(issues: readonly { readonly path: PropertyKey[]; readonly message: string }[]): string {
  return issues
    .slice(0, FAULTS_SHOWN)
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.map(String).join('.')}: ${issue.message}`))
    .join('; ');
}

export function parseQuery<Output>(exchange: Exchange, schema: z.ZodMiniType<Output>): Output {
  return parseInput(schema, { ...exchange.request.query }, 'the query');
}

/** @throws GalleyError `invalid_request` also where the body is not JSON at all */
export function parseBody<Output>(exchange: Exchange, schema: z.ZodMiniType<Output>): Output {
  const body: unknown = exchange.request.body;
  if (body === undefined) throw new GalleyError('invalid_request', 'the body must be JSON, with Content-Type: application/json');
  return parseInput(schema, body, 'the body');
}

/** A `:name` of the route's path. */
export function pathParameter(exchange: Exchange, name: string): string {
  const value = exchange.request.params[name];
  return typeof value === 'string' ? value : '';
}

/** Answers in JSON, unless somebody has answered already (a request that was refused while Redis went away). */
export function sendJson(exchange: Exchange, body: unknown, status = 200): void {
  sendJsonText(exchange, JSON.stringify(body), status);
}

/** The same for what is JSON already; both without Express's `send`, which looks for much that no answer of ours has. */
export function sendJsonText(exchange: Exchange, text: string | Buffer, status = 200): void {
  sendText(exchange, text, 'application/json; charset=utf-8', status);
}

export function sendText({ response }: Exchange, text: string | Buffer, mediaType: string, status = 200): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', mediaType);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
}
