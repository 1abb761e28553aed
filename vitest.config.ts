import { defineConfig } from 'vitest/config';

/**
 * One `vitest run` at the root runs every workspace's tests. Files run in processes of their own, so that one that kills, freezes or leaks
 * cannot hurt its neighbours; three at a time on two cores, because most of them start a Redis of their own and wait for it.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      ...['contract', 'core', 'ocr', 'blobs'].map((name) => nodeProject(name, `packages/${name}`)),
      ...['server', 'worker', 'cli'].map((name) => nodeProject(name, `apps/${name}`)),
      nodeProject('chaos', 'chaos'),
      nodeProject('scripts', 'scripts'),
      coreOverCluster(),
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

/** The promises that every way to run Redis keeps, once more over a cluster of three masters (`conformanceSuite`). */
function coreOverCluster() {
  const project = nodeProject('core-cluster', 'packages/core');
  // Not those that kill and start their server again (cluster-faults.test.ts kills masters), nor those about handlers and time alone.
  const files = ['model', 'order-policies', 'P02*', 'P03*', 'P04*', 'P08*', 'P09*', 'P11*', 'P12*'];
  return {
    ...project,
    test: { ...project.test, include: files.map((file) => `src/promises/${file}.test.ts`), provide: { redis: 'cluster' as const } },
  };
}
