import { GalleyError } from '@galley/contract';
import { type Address, type AddressRange, isWithin, parseRange } from './address.ts';

/** Hosts and addresses that may be fetched although they are not of the public internet. */
export interface AllowList {
  /** As they were written. */
  readonly entries: readonly string[];
  readonly hosts: ReadonlySet<string>;
  readonly ranges: readonly AddressRange[];
}

const HOST = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * A comma-separated list of host names, IP addresses and ranges (`10.0.0.0/8`).
 * Throws GalleyError `invalid_request` that names the entry that is none of these.
 */
export function parseAllowList(text: string): AllowList {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  const hosts = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range !== null) ranges.push(range);
    else if (HOST.test(entry) && !/^[\d.]+$/.test(entry)) hosts.add(entry);
    else {
      throw new GalleyError(
        'invalid_request',
        `GALLEY_URL_ALLOW has the entry "${entry}"; it takes host names, IP addresses and ranges such as 10.0.0.0/8, separated by commas.`,
      );
    }
  }
  return { entries, hosts, ranges };
}

export function allowsHost(list: AllowList, host: string): boolean {
  return list.hosts.has(host.toLowerCase());
}

export function allowsAddress(list: AllowList, address: Address): boolean {
  return list.ranges.some((range) => isWithin(address, range));
}
