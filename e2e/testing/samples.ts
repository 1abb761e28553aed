import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SHARED = process.env.GALLEY_SHARED_DIR ?? path.resolve(import.meta.dirname, '../../../shared');

export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  /** What is written on it, exactly, after folding white space. */
  readonly text: string;
}

const FOLDER = path.join(SHARED, 'samples/scans');
const FILE = path.join(FOLDER, 'phototest.tif');

function load(): Sample | null {
  if (!existsSync(FILE)) return null;
  return { name: 'phototest.tif', bytes: readFileSync(FILE), text: readFileSync(path.join(FOLDER, 'phototest.gold.txt'), 'utf8') };
}

/** A scan of a public test suite, where it is at hand. */
export const PHOTOTEST = load();

/** Why a test that needs the scan is counted as skipped. */
export const PHOTOTEST_MISSING = `There is no ${FILE}. Name the folder that holds samples/scans with GALLEY_SHARED_DIR.`;
