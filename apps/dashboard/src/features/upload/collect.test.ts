// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { collectFiles, collectTransfer } from './collect.ts';

/** What a browser hands out for a dropped file or folder, as far as it is read here. */
interface Entry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly file?: (done: (file: File) => void) => void;
  readonly createReader?: () => { readEntries: (done: (entries: readonly Entry[]) => void) => void };
}

const file = (name: string): Entry => ({ name, isFile: true, isDirectory: false, file: (done) => done(new File(['x'], name)) });
const folder = (name: string, batches: readonly (readonly Entry[])[]): Entry => ({
  name,
  isFile: false,
  isDirectory: true,
  createReader: () => {
    let at = 0;
    return { readEntries: (done) => done(batches[at++] ?? []) };
  },
});

function transferOf(entries: readonly Entry[]): DataTransfer {
  const items = entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }));
  return { items, files: [] } as unknown as DataTransfer;
}

describe('collectTransfer', () => {
  it('walks folders to their ends, as a person counts, and leaves the system’s own files', async () => {
    const inner = folder('plates', [
      [file('plate-10.tif'), file('plate-9.tif')],
      [file('.DS_Store'), file('plate-11.tif')],
    ]);
    const collected = await collectTransfer(transferOf([folder('archive', [[inner, file('cover.pdf')]]), file('alone.png')]));
    expect(collected.map(({ folder: path, file: { name } }) => path + name)).toEqual([
      'archive/cover.pdf',
      'archive/plates/plate-9.tif',
      'archive/plates/plate-10.tif',
      'archive/plates/plate-11.tif',
      'alone.png',
    ]);
  });
});

describe('collectFiles', () => {
  it('takes the folder from the path that a folder chooser tells', () => {
    const at = (path: string): File =>
      Object.defineProperty(new File(['x'], path.split('/').at(-1) ?? ''), 'webkitRelativePath', { value: path });
    const alone = Object.defineProperty(new File(['x'], 'alone.png'), 'webkitRelativePath', { value: '' });
    expect(collectFiles([at('archive/plate-1.tif'), alone]).map(({ folder: path }) => path)).toEqual(['', 'archive/']);
  });
});
