import { isIP } from 'node:net';

/** An IP address as one number: 32 bits for version 4, 128 for version 6. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** Addresses that share their first `bits` bits. */
export interface AddressRange extends Address {
  readonly bits: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

function parseFour(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseSix(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  let groups = text;
  if (dotted?.[1] !== undefined && dotted[2] !== undefined) {
    const four = parseFour(dotted[2]);
    groups = `${dotted[1]}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`;
  }
  const [head = '', tail] = groups.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => '0');
  return [...before, ...middle, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** An IPv4-mapped IPv6 address is the IPv4 address that it stands for. Null where the text is no IP address. */
export function parseAddress(text: string): Address | null {
  const [bare = ''] = text.split('%');
  const family = isIP(bare);
  if (family === 4) return { family: 4, value: parseFour(bare) };
  if (family !== 6) return null;
  const value = parseSix(bare);
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. Null where the text is neither. */
export function parseRange(text: string): AddressRange | null {
  const [base = '', length, more] = text.split('/');
  const address = parseAddress(base);
  if (address === null || more !== undefined) return null;
  const width = WIDTH[address.family];
  if (length === undefined) return { ...address, bits: width };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : width + 1;
  return bits > width ? null : { ...address, bits };
}

export function isWithin(address: Address, range: AddressRange): boolean {
  if (address.family !== range.family) return false;
  const shift = BigInt(WIDTH[range.family] - range.bits);
  return address.value >> shift === range.value >> shift;
}

/** IANA's special-purpose registries: what the public internet does not route, or routes to somewhere of ours. */
const CLOSED: readonly (readonly [string, string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::1/128', 'loopback'],
  ['::/128', 'unspecified'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', 'a tunnel to IPv4'],
  ['3fff::/20', 'documentation'],
];

const CLOSED_RANGES = CLOSED.flatMap(([text, kind]) => {
  const range = parseRange(text);
  return range === null ? [] : [{ range, kind }];
});
const GLOBAL_SIX: AddressRange = { family: 6, value: 0x2000n << 112n, bits: 3 };

/** What kind of address it is where it is not one of the public internet; null where it is. */
export function closedKind(address: Address): string | null {
  const closed = CLOSED_RANGES.find(({ range }) => isWithin(address, range));
  if (closed !== undefined) return closed.kind;
  // Of IPv6 only this part is public; translation prefixes such as 64:ff9b::/96 lead back into IPv4.
  return address.family === 6 && !isWithin(address, GLOBAL_SIX) ? 'reserved' : null;
}
