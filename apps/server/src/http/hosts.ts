import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { GalleyError } from '@galley/contract';
import { isLoopback } from '../config.ts';

/** What of a request tells from where and to whom it was sent. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'method' | 'url'>;

const WILDCARDS = ['0.0.0.0', '::'];
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/** `name:port`, `[v6]:port` or a bare name → the name, lower case; null where it is none of these. */
export function hostNameOf(host: string): string | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(host);
  return match === null ? null : (match[1] ?? match[2] ?? '').toLowerCase();
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address.toLowerCase()));
}

/**
 * Keeps other sites' pages away (DESIGN §7), on HTTP and the socket, whether or not tokens are configured: the Host must be one of
 * this server's names (a rebound name is none), and a page that sends a request must have come from this very host.
 */
export class HostGuard {
  private readonly names: ReadonlySet<string>;
  private readonly listensEverywhere: boolean;

  constructor(listenHost: string, allowedHosts: readonly string[]) {
    // Browsers reach loopback by the address of no place, too: it is nobody's name.
    const own = WILDCARDS.includes(listenHost) ? [] : [listenHost.toLowerCase()];
    this.names = new Set([...LOOPBACK_NAMES, ...own, ...allowedHosts]);
    this.listensEverywhere = !isLoopback(listenHost);
  }

  /** @throws GalleyError `host_not_allowed` or `origin_not_allowed` */
  check(request: RequestHead): void {
    const host = request.headers.host ?? '';
    // Node takes the first of several; what stands before us may have taken another.
    if ((request.headersDistinct['host'] ?? []).length > 1)
      throw new GalleyError('host_not_allowed', 'the request has more than one Host header');
    // As proxies are asked: the address would name a host that Host does not.
    if (request.url !== '*' && request.url?.startsWith('/') !== true)
      throw new GalleyError('host_not_allowed', 'the request line names a whole address; send its path alone');
    const name = hostNameOf(host);
    if (name === null || !this.isOwnName(name))
      throw new GalleyError('host_not_allowed', `"${host.slice(0, 253)}" is no name of this server`);
    const { origin } = request.headers;
    if (origin !== undefined) {
      if (!isSameOrigin(origin, host))
        throw new GalleyError('origin_not_allowed', `the request comes from ${origin.slice(0, 253)}, which is another site`);
      return;
    }
    const site = request.headers['sec-fetch-site'];
    const isNavigation = request.headers['sec-fetch-mode'] === 'navigate' && (request.method === 'GET' || request.method === 'HEAD');
    if ((site === 'cross-site' || site === 'same-site') && !isNavigation) {
      throw new GalleyError('origin_not_allowed', 'the request comes from a page of another site');
    }
  }

  private isOwnName(name: string): boolean {
    if (this.names.has(name) || (isIP(name) === 4 && isLoopback(name))) return true;
    // An address cannot be rebound; it still has to be one of ours, since a proxy may forward anything.
    return this.listensEverywhere && isIP(name) !== 0 && ownAddresses().includes(name);
  }
}

/** The scheme may differ behind a proxy that ends TLS; name and port may not. */
function isSameOrigin(origin: string, host: string): boolean {
  const match = /^(https?):\/\/([^/]+)$/i.exec(origin);
  if (match === null) return false;
  const [, scheme = '', from = ''] = match;
  const port = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const bare = (text: string): string => text.toLowerCase().replace(new RegExp(`${port}$`), '');
  return bare(from) === bare(host);
}
