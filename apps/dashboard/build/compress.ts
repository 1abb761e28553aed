import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg|html)$/;
/** Under that the head of an answer is the greater part of it. */
const WORTH_IT_BYTES = 1_000;

const compressions = [
  ['.gz', (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 })],
  ['.br', (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
] as const;

/** Lays a gzip and a Brotli copy beside each file of text, so that the server need not compress what never changes. */
export function compressed(): Plugin {
  return {
    name: 'galley:compressed',
    apply: 'build',
    async writeBundle({ dir = 'dist' }, bundle) {
      for (const fileName of Object.keys(bundle).filter((name) => COMPRESSIBLE.test(name))) {
        const file = path.join(dir, fileName);
        const bytes = await readFile(file);
        if (bytes.length < WORTH_IT_BYTES) continue;
        for (const [ending, compress] of compressions) await writeFile(file + ending, await compress(bytes));
      }
    },
  };
}
