import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Chunk, firstLoadOf } from './firstLoad.ts';

/** Text that does not get smaller by half, so that each chunk's share can be told. */
function chunk(fileName: string, imports: readonly string[], change: Partial<Chunk> = {}): Chunk {
  return { fileName, imports: [...imports], isEntry: false, facadeModuleId: null, code: randomBytes(500).toString('hex'), ...change };
}

describe('firstLoadOf', () => {
  it('counts the entry, the overview and whatever they import, each once; not what is imported on demand', () => {
    const { bytes, files } = firstLoadOf([
      chunk('entry.js', ['react.js'], { isEntry: true }),
      chunk('react.js', ['shared.js']),
      chunk('shared.js', ['react.js']),
      chunk('overview.js', ['shared.js', 'words.js'], { facadeModuleId: '/here/src/features/overview/index.tsx' }),
      chunk('words.js', []),
      chunk('reader.js', ['react.js'], { facadeModuleId: '/here/src/features/reader/index.tsx' }),
      chunk('charts.js', []),
    ]);
    expect(files.map(({ name }) => name).toSorted()).toEqual(['entry.js', 'overview.js', 'react.js', 'shared.js', 'words.js']);
    expect(bytes).toBe(files.reduce((sum, file) => sum + file.bytes, 0));
    expect(bytes).toBeLessThan(5 * 1_000);
    expect(bytes).toBeGreaterThan(5 * 500);
  });
});
