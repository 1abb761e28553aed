/**
 * Which shard a task goes to (DESIGN §3, "Routing"): keys map to 1,024 buckets, and a table stored with the queue maps
 * buckets to shards, so that shards can be added later by moving buckets.
 */
export const ROUTING_BUCKETS = 1024;

/** FNV-1a, 32 bits, with a final mix (Murmur3's), since FNV's low bits alone spread badly over few shards. */
export function routingBucket(key: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(key)) {
    hash ^= byte;
    hash = Math.imul(hash, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) % ROUTING_BUCKETS;
}

/** Bucket → index of the shard, each shard an equal share in turn. */
export function initialRoutingTable(shards: number): number[] {
  return Array.from({ length: ROUTING_BUCKETS }, (_, bucket) => bucket % shards);
}

/** Two digits, `07`; four from 100 shards up. */
export function shardName(index: number, shards: number): string {
  return String(index).padStart(shards > 100 ? 4 : 2, '0');
}
