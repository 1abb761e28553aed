import { createHash } from 'node:crypto';

/** Identity of a piece of work (DESIGN P8): SHA-256, base64url, over parts that cannot run into each other. */
export function identityOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('base64url');
}
