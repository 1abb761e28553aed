import { readFile } from 'node:fs/promises';

/** The recogniser's classes as characters; class 0 is the CTC blank and has none. */
export async function loadDictionary(path: string): Promise<readonly string[]> {
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return ['', ...lines, ' '];
}
