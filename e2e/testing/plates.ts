import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A small file that the server takes for a picture, and that no worker is ever asked to open. No two names make the same file. */
export function plate(name: string): { name: string; bytes: Buffer } {
  return { name, bytes: Buffer.concat([PNG_SIGNATURE, Buffer.from(`${name} of a box that nobody opens`)]) };
}

export function plateName(n: number): string {
  return `plate-${String(n).padStart(4, '0')}.png`;
}

/** A folder on disk with these files; remove it when the browser has read it. */
export async function folderOf(files: readonly { name: string; bytes: Buffer }[]): Promise<{ path: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'galley-e2e-box-'));
  await Promise.all(files.map(({ name, bytes }) => writeFile(path.join(parent, name), bytes)));
  return { path: parent, remove: () => rm(parent, { recursive: true, force: true }) };
}
