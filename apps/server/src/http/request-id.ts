import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const HEADER = 'x-request-id';
const ACCEPTED = /^[\w.-]{1,64}$/;

/** Gives each request an id, or keeps the caller's where it is harmless in a log; the answer carries it. */
export function assignRequestId(request: IncomingMessage, response: ServerResponse): void {
  const sent = request.headers[HEADER];
  response.setHeader(HEADER, typeof sent === 'string' && ACCEPTED.test(sent) ? sent : randomUUID());
}

export function requestIdOf(response: ServerResponse): string {
  const id = response.getHeader(HEADER);
  return typeof id === 'string' ? id : '';
}
