import { GalleyError } from '@galley/contract';
import type { Connection } from '@galley/core';

/** The version that Redis (or Valkey) reports, as in `7.0.15`. */
export function versionOf(info: string): { readonly name: 'Redis' | 'Valkey'; readonly version: string } {
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  if (valkey !== undefined) return { name: 'Valkey', version: valkey };
  return { name: 'Redis', version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? '0' };
}

/** @throws GalleyError `invalid_request` where the server is older than DESIGN §3 asks for */
export async function requireRedisVersion(connection: Connection): Promise<string> {
  const { name, version } = versionOf(await connection.client.info('server'));
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const least = name === 'Valkey' ? [7, 2] : [7, 0];
  const [leastMajor = 0, leastMinor = 0] = least;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    throw new GalleyError(
      'invalid_request',
      `GALLEY_REDIS_URL leads to ${name} ${version}; Galley needs ${name} ${least.join('.')} or newer. Upgrade it, or use another.`,
    );
  }
  return `${name} ${version}`;
}
