import type { RedisFacts } from '@galley/contract';
import type { Connection } from '@galley/core';
import type { RedisPolicy } from '../queue/redis-policy.ts';
import { versionOf } from './redis-version.ts';

/** A number of INFO; 0 where it has no such line. */
function infoNumber(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}

async function infos({ client }: Connection): Promise<string[]> {
  if (!('nodes' in client)) return [await client.info()];
  return Promise.all(client.nodes('master').map((node) => node.info()));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Asks Redis, or each master of a cluster, what it is and how full. */
export async function readRedisFacts(connection: Connection, policy: RedisPolicy): Promise<RedisFacts> {
  const [answers, settings] = await Promise.all([infos(connection), policy.settingsNow()]);
  const all = (name: string): number[] => answers.map((info) => infoNumber(info, name));
  const limits = all('maxmemory');
  return {
    ...versionOf(answers[0] ?? ''),
    mode: connection.isCluster ? 'cluster' : 'single',
    masters: answers.length,
    memory_bytes: sum(all('used_memory')),
    memory_peak_bytes: sum(all('used_memory_peak')),
    // One master without a limit may take all there is.
    memory_limit_bytes: limits.length === 0 || limits.includes(0) ? null : sum(limits),
    clients: sum(all('connected_clients')),
    uptime_ms: Math.min(...all('uptime_in_seconds')) * 1_000,
    eviction: settings.eviction,
    append_fsync: settings.appendOnly === 'no' ? 'off' : settings.appendFsync,
  };
}
