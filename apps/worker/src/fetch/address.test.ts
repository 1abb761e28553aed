import { describe, expect, test } from 'vitest';
import { closedKind, isWithin, parseAddress, parseRange } from './address.ts';

function kindOf(text: string): string | null {
  const address = parseAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return closedKind(address);
}

describe('closedKind', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '193.0.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])('%s is public', (text) => expect(kindOf(text)).toBeNull());

  test.each([
    ['0.0.0.0', 'this network'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['198.18.0.1', 'benchmarking'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a00:1', 'private'],
    ['::7f00:1', 'reserved'],
    ['64:ff9b::7f00:1', 'reserved'],
    ['2001::1', 'reserved'],
    ['2002:7f00:1::', 'a tunnel to IPv4'],
    ['fd00::1', 'private'],
    ['fe80::1%eth0', 'link-local'],
    ['fec0::1', 'reserved'],
    ['ff02::1', 'multicast'],
  ])('%s is %s', (text, kind) => expect(kindOf(text)).toBe(kind));
});

test('a range holds the addresses that share its first bits', () => {
  const range = parseRange('192.168.16.0/20');
  const within = (text: string): boolean | null => {
    const address = parseAddress(text);
    return range === null || address === null ? null : isWithin(address, range);
  };
  expect(within('192.168.31.255')).toBe(true);
  expect(within('192.168.32.0')).toBe(false);
  expect(within('::ffff:192.168.16.1')).toBe(true);
});

test.each(['10.0.0.0/33', '10.0.0/8', '::/129', 'fd00::/x', '10.0.0.0/8/8', 'example.com'])('%s is no range', (text) =>
  expect(parseRange(text)).toBeNull(),
);
