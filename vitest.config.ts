import { defineConfig } from 'vitest/config';

/**
 * One `vitest run` at the root runs every workspace's tests. Files run in processes of their own, so that one that kills, freezes or leaks
 * cannot hurt its neighbours; two at a time, because most of them start a Redis of their own.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      ...['contract', 'core', 'ocr', 'blobs'].map((name) => nodeProject(name, `packages/${name}`)),
      ...['server', 'worker', 'cli'].map((name) => nodeProject(name, `apps/${name}`)),
      nodeProject('scripts', 'scripts'),
      'apps/*/vite.config.ts',
    ],
  },
});

/** A project whose tests lie beside its code and run in plain Node. */
function nodeProject(name: string, directory: string) {
  const extension = directory === 'scripts' ? 'mjs' : 'ts';
  return {
    extends: true as const,
    test: {
      name,
      root: `./${directory}`,
      include: [`**/*.test.${extension}`],
      exclude: ['**/dist/**', '**/node_modules/**'],
      environment: 'node',
    },
  };
}
