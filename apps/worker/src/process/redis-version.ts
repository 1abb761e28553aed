import { GalleyError } from '@galley/contract';

const LEAST = { redis: [7, 0], valkey: [7, 2] } as const;

/**
 * Checks what `INFO server` says. Throws GalleyError `redis_unavailable` with a sentence where the server is too old.
 * Valkey also names the Redis version that it is compatible with; its own is what counts.
 */
export function checkRedisVersion(info: string): void {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
  const valkey = field('valkey_version');
  const name = valkey === undefined ? 'redis' : 'valkey';
  const version = valkey ?? field('redis_version') ?? '0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST[name];
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new GalleyError(
    'redis_unavailable',
    `This ${name === 'redis' ? 'Redis' : 'Valkey'} is version ${version}; Galley needs Redis 7.0 or Valkey 7.2, or newer. Upgrade it, or point GALLEY_REDIS_URL at a newer one.`,
  );
}
