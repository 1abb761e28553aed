import { realpath } from 'node:fs/promises';
import { isLiving } from './process-identity.ts';
import { ping } from './server-client.ts';
import { defaultSocketPath, readRecord } from './server-record.ts';

/**
 * The address (`unix:…`) of the Redis that a launcher runs in this directory, for programs that only want to use it. It is started,
 * adopted and stopped by its launcher alone.
 * @returns null where none runs there
 */
export async function findRunningRedisServer(directory: string): Promise<string | null> {
  const place = await realpath(directory).catch(() => null);
  if (place === null) return null;
  const record = await readRecord(place);
  const socketPath = record !== null && (await isLiving(record.process)) ? record.socketPath : defaultSocketPath(place);
  return (await ping(socketPath)) === 'absent' ? null : `unix:${socketPath}`;
}
