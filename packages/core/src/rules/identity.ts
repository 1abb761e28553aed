import { createHash } from 'node:crypto';

/**
 * Identity of a piece of work (DESIGN P8): SHA-256, base64url, over parts that cannot run into each other. The concurrency key is
 * part of it: it decides the shard in which an identity is looked up, so that under another key it is other work always, and not only
 * where the two keys' shards differ.
 */
export function identityOf(parts: readonly string[], concurrencyKey?: string): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  // Every part begins with a digit, so no part can be taken for this.
  if (concurrencyKey !== undefined) hash.update('key:').update(concurrencyKey);
  return hash.digest('base64url');
}
