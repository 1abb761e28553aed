import { randomBytes } from 'node:crypto';
import type { Figure } from './measures.ts';
import type { Program } from './programs.ts';

const FILE_BYTES = 64 * 1_024;
const FILES_PER_REQUEST = 100;
const SAMPLE_MS = 100;
/** Growth past which a server would be keeping what it was sent. */
const GROWTH_LIMIT_BYTES = 100e6;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A picture by its first bytes, which is what an upload is judged by; no two are alike. */
function file(): Blob {
  return new Blob([PNG_SIGNATURE, Buffer.from('0000000d49484452', 'hex'), randomBytes(FILE_BYTES)]);
}

async function send(server: Program, count: number): Promise<void> {
  const form = new FormData();
  for (let index = 0; index < count; index++) form.append('file', file(), `${index}.png`);
  const answer = await fetch(`${server.base}/api/v1/documents`, { method: 'POST', body: form });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`an upload was answered with ${answer.status}: ${text.slice(0, 300)}`);
}

/** Thousands of files from one client, a hundred a request: how far the server's memory grows meanwhile. */
export async function uploads(server: Program, files: number): Promise<Figure> {
  await send(server, FILES_PER_REQUEST);
  const before = await server.residentBytes();
  let most = before;
  const sampler = setInterval(() => {
    server.residentBytes().then(
      (bytes) => {
        most = Math.max(most, bytes);
      },
      () => undefined,
    );
  }, SAMPLE_MS);
  const from = performance.now();
  for (let sent = 0; sent < files; sent += FILES_PER_REQUEST) await send(server, Math.min(FILES_PER_REQUEST, files - sent));
  clearInterval(sampler);
  const seconds = (performance.now() - from) / 1_000;
  const value = (most - before) / 1e6;
  const megabytes = ((files * FILE_BYTES) / 1e6).toFixed(0);
  return {
    name: `${files.toLocaleString('en')} files from one client`,
    floor: `< ${GROWTH_LIMIT_BYTES / 1e6} MB of growth`,
    value,
    unit: 'MB',
    met: most - before < GROWTH_LIMIT_BYTES,
    detail: `${megabytes} MB of files, ${(files / seconds).toFixed(0)}/s, synced to disk one by one`,
  };
}
