import autocannon from 'autocannon';
import type { Program } from './programs.ts';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of the so-many-eth request: each differs, so that none is a duplicate of another. */
  readonly body?: (count: number) => string;
}

export interface Shot {
  /** Requests a second. */
  readonly rate: number;
  readonly p99Ms: number;
  /** CPU of the program's process. */
  readonly cpuUsPerRequest: number;
}

const CONNECTIONS = 50;
/** Requests with a body, over the whole run. */
let sent = 0;

/**
 * Sends one request again and again over 50 connections. `ratePerSecond` undefined: as fast as they are answered.
 * Throws where one was not answered with a 2xx, since a refusal is cheap and would make a fine figure.
 */
export async function fire(program: Program, request: Request, seconds: number, ratePerSecond?: number): Promise<Shot> {
  const cpuBefore = await program.cpuUs();
  const { method, path, body } = request;
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const result = await autocannon({
    url: program.base,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ method, path, headers, ...(body === undefined ? {} : { setupRequest: (raw) => ({ ...raw, body: body(sent++) }) }) }],
    ...(ratePerSecond === undefined ? {} : { overallRate: ratePerSecond }),
  });
  const refused = result.non2xx + result.errors + result.timeouts;
  if (refused > 0) throw new Error(`${refused} of ${result.requests.total} requests to ${path} failed`);
  return {
    rate: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
    cpuUsPerRequest: ((await program.cpuUs()) - cpuBefore) / result.requests.total,
  };
}
