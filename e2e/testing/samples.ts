import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SHARED = process.env.GALLEY_SHARED_DIR ?? path.resolve(import.meta.dirname, '../../../shared');

export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  /** What is written on it, exactly, after folding white space. */
  readonly text: string;
}

function load(): readonly Sample[] {
  const folder = path.join(SHARED, 'samples/scans');
  const file = path.join(folder, 'phototest.tif');
  if (!existsSync(file)) {
    console.log(`phototest.tif is left out: there is no ${file}. Name its folder with GALLEY_SHARED_DIR.`);
    return [];
  }
  return [{ name: 'phototest.tif', bytes: readFileSync(file), text: readFileSync(path.join(folder, 'phototest.gold.txt'), 'utf8') }];
}

/** Scans of public test suites, where they are at hand; none otherwise. */
export const SAMPLES = load();
