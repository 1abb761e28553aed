import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Most gzipped bytes of script that a person waits for before the overview is drawn. */
export const FIRST_LOAD_BUDGET = 100_000;

/** The page that most people open first; its chunk is asked for as soon as the entry has been read. */
const FIRST_PAGE = /\/src\/features\/overview\/index\.tsx$/;

export type Chunk = Pick<Rolldown.OutputChunk, 'fileName' | 'isEntry' | 'facadeModuleId' | 'imports' | 'code'>;

export interface FirstLoad {
  /** Gzipped bytes of all of them. */
  readonly bytes: number;
  /** The largest first. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** The script of a first load: the entry, the first page, and all that either cannot run without. What is imported on demand is not in it. */
export function firstLoadOf(chunks: readonly Chunk[]): FirstLoad {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const needed = new Set<Chunk>();
  const need = (chunk: Chunk | undefined): void => {
    if (chunk === undefined || needed.has(chunk)) return;
    needed.add(chunk);
    for (const name of chunk.imports) need(byName.get(name));
  };
  for (const chunk of chunks) if (chunk.isEntry || FIRST_PAGE.test(chunk.facadeModuleId ?? '')) need(chunk);
  const files = [...needed].map(({ fileName, code }) => ({ name: fileName, bytes: gzipSync(code, { level: 9 }).length }));
  files.sort((a, b) => b.bytes - a.bytes);
  return { bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files };
}

const inKb = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

/** Says what the first load weighs, and ends the build where that is more than the budget. */
export function firstLoadBudget(): Plugin {
  return {
    name: 'galley:first-load-budget',
    apply: 'build',
    writeBundle(_options, bundle) {
      const { bytes, files } = firstLoadOf(Object.values(bundle).filter((output) => output.type === 'chunk'));
      const list = files.map((file) => `  ${inKb(file.bytes).padStart(8)}  ${file.name}`).join('\n');
      const sentence = `The first load is ${inKb(bytes)} of gzipped script; the budget is ${inKb(FIRST_LOAD_BUDGET)}.`;
      if (bytes > FIRST_LOAD_BUDGET) this.error(`${sentence}\n${list}\nImport on demand what the first page can be drawn without.`);
      this.info(sentence);
    },
  };
}
