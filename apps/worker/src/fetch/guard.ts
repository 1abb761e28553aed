import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { GalleyError } from '@galley/contract';
import { closedKind, parseAddress } from './address.ts';
import { type AllowList, allowsAddress, allowsHost } from './allow-list.ts';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export const resolveBySystem: Resolve = (host) => systemLookup(host, { all: true });

/** A host as `URL` writes it, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function checkAddress(host: string, text: string, allow: AllowList): void {
  const address = parseAddress(text);
  if (address === null) throw new GalleyError('url_not_allowed', `${host} resolves to "${text}", which is no IP address.`);
  const kind = closedKind(address);
  if (kind === null || allowsHost(allow, host) || allowsAddress(allow, address)) return;
  const where = host === text ? `${host} is` : `${host} resolves to ${text}, which is`;
  throw new GalleyError('url_not_allowed', `${where} not an address of the public internet (${kind}). GALLEY_URL_ALLOW can allow it.`);
}

/** Refuses what can be refused before connecting: other schemes, and hosts that are written as a closed address. */
export function checkUrl(url: URL, allow: AllowList): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new GalleyError('url_not_allowed', `A URL of the scheme ${url.protocol.slice(0, -1)} is not fetched; use http or https.`);
  }
  const host = hostOf(url);
  // An address written in the URL is connected to without a look-up, so it is checked here.
  if (parseAddress(host) !== null) checkAddress(host, host, allow);
}

/**
 * A look-up that refuses closed addresses at the moment of connecting, when a name can no longer be pointed elsewhere.
 * One closed address among several refuses the name: which of them is connected to is not for the guard to guess.
 */
export function guardedLookup(resolve: Resolve, allow: AllowList): LookupFunction {
  const check = async (host: string): Promise<{ address: string; family: number }[]> => {
    const found = await resolve(host);
    if (found.length === 0) throw new GalleyError('fetch_failed', `${host} has no address.`);
    for (const { address } of found) checkAddress(host, address, allow);
    return [...found];
  };
  return (host, options, answer) => {
    check(host).then(
      (found) => {
        const [first = { address: '', family: 0 }] = found;
        if (options.all === true) answer(null, found);
        else answer(null, first.address, first.family);
      },
      (error: unknown) => answer(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
}
