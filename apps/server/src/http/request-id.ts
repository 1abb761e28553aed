import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

const HEADER = 'x-request-id';
const ACCEPTED = /^[\w.-]{1,64}$/;

/** Gives each request an id, or keeps the caller's where it is harmless in a log; the answer carries it. */
export const assignRequestId: RequestHandler = (request, response, next) => {
  const sent = request.headers[HEADER];
  response.setHeader(HEADER, typeof sent === 'string' && ACCEPTED.test(sent) ? sent : randomUUID());
  next();
};

export function requestIdOf(response: Response): string {
  const id = response.getHeader(HEADER);
  return typeof id === 'string' ? id : '';
}
