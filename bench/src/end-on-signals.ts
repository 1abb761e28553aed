import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * Has a signal end the benchmark through `exit`, which takes its Redis and that one's folder along, the programs that it started
 * (api/programs.ts) and its own folders.
 */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
}

/** A fresh folder that is gone when the benchmark has ended, however it ends. */
export async function benchDirectory(prefix: string): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), prefix));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 }));
  return directory;
}
