import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { GalleyError } from '@galley/contract';
import { systemSearchPath } from './config.ts';

export interface RedisProgram {
  /** Absolute path of the program. */
  readonly path: string;
  readonly kind: 'redis' | 'valkey';
  /** As it says itself, such as `7.0.15`. */
  readonly version: string;
}

/** The programs looked for, in this order, and the least version of each that has what the scripts need. */
const PROGRAMS = [
  { name: 'redis-server', kind: 'redis', title: 'Redis', least: [7, 0] },
  { name: 'valkey-server', kind: 'valkey', title: 'Valkey', least: [7, 2] },
] as const;

/**
 * Finds a redis-server or valkey-server that is new enough.
 * @param searchPath folders to look in, separated as in PATH
 * @throws GalleyError `redis_unavailable` when there is none, or only ones that are too old; the message says which
 */
export async function findRedisServer(searchPath: string = systemSearchPath()): Promise<RedisProgram> {
  const refusals: string[] = [];
  for (const program of PROGRAMS) {
    const found = await findOnPath(program.name, searchPath);
    if (found === null) continue;
    const banner = await readBanner(found);
    // Debian's valkey package offers itself as redis-server too, so the banner decides what it is.
    const kind = /valkey/i.test(banner) ? 'valkey' : 'redis';
    const { title, least } = PROGRAMS.find((entry) => entry.kind === kind) ?? program;
    const version = /v=(\d+\.\d+(?:\.\d+)?)/.exec(banner)?.[1];
    if (version !== undefined && isAtLeast(version, least)) return { path: found, kind, version };
    refusals.push(`${found} is ${title} ${version ?? 'of unknown version'}; Galley needs ${least.join('.')} or newer.`);
  }
  const reason = refusals.length > 0 ? refusals.join(' ') : 'Neither redis-server nor valkey-server is on PATH.';
  throw new GalleyError('redis_unavailable', `${reason} Install Redis 7.0 or newer (Valkey 7.2 or newer), or set GALLEY_REDIS_URL.`);
}

async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(path.delimiter)) {
    if (folder === '') continue;
    const candidate = path.resolve(folder, name);
    const executable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return candidate;
  }
  return null;
}

async function readBanner(program: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 10_000 });
    return stdout;
  } catch (cause) {
    throw new GalleyError('redis_unavailable', `${program} --version failed. Reinstall it, or set GALLEY_REDIS_URL.`, { cause });
  }
}

/** Whether `7.0.15` is at least `[7, 0]`. */
export function isAtLeast(version: string, [leastMajor, leastMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
