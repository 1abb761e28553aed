import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * One planted fault per rule that the house leans on: a rule that stops firing is a rule that is gone.
 * @type {ReadonlyArray<readonly [rule: string, file: string, source: string]>}
 */
const FAULTS = [
  ['typescript(no-floating-promises)', 'packages/core/src/floating.ts', 'export function start(): void {\n  Promise.resolve(1);\n}\n'],
  [
    'typescript(no-misused-promises)',
    'packages/core/src/misused.ts',
    "export function all(): void {\n  ['a'].forEach(async (word) => {\n    await Promise.resolve(word);\n  });\n}\n",
  ],
  ['typescript(await-thenable)', 'packages/core/src/thenable.ts', 'export async function wait(): Promise<void> {\n  await 1;\n}\n'],
  [
    'typescript(switch-exhaustiveness-check)',
    'packages/core/src/exhaustive.ts',
    "export function say(state: 'a' | 'b'): number {\n  switch (state) {\n    case 'a':\n      return 1;\n  }\n  return 0;\n}\n",
  ],
  ['typescript(no-explicit-any)', 'packages/core/src/any.ts', 'export function take(value: any): void {\n  void value;\n}\n'],
  [
    'typescript(no-unsafe-assignment)',
    'packages/core/src/unsafe.ts',
    "export function parse(): string {\n  const text: string = JSON.parse('1');\n  return text;\n}\n",
  ],
  ['typescript(no-non-null-assertion)', 'packages/core/src/assertion.ts', 'export const first = (words: string[]): string => words[0]!;\n'],
  [
    'typescript(consistent-type-imports)',
    'packages/core/src/types.ts',
    "import { Stats } from 'node:fs';\nexport type Size = Stats['size'];\n",
  ],
  ['eslint(no-unused-vars)', 'packages/core/src/unused.ts', 'export function run(): void {\n  const left = 1;\n}\n'],
  ['node(no-process-env)', 'packages/core/src/environment.ts', 'export const port = process.env.PORT;\n'],
  ['import(no-cycle)', 'packages/core/src/cycle-a.ts', "import { b } from './cycle-b.ts';\nexport const a = (): number => b();\n"],
  ['import(no-cycle)', 'packages/core/src/cycle-b.ts', "import { a } from './cycle-a.ts';\nexport const b = (): number => a();\n"],
  [
    'vitest(no-focused-tests)',
    'packages/core/src/focused.test.ts',
    "import { expect, it } from 'vitest';\nit.only('runs alone', () => {\n  expect(1).toBe(1);\n});\n",
  ],
  [
    'vitest(no-disabled-tests)',
    'packages/core/src/skipped.test.ts',
    "import { expect, it } from 'vitest';\nit.skip('never runs', () => {\n  expect(1).toBe(1);\n});\n",
  ],
  ['galley(import-direction)', 'packages/core/src/upward.ts', "export { main } from '@galley/server';\n"],
  ['galley(import-direction)', 'packages/ocr/src/sideways.ts', "export const core = () => import('@galley/core');\n"],
  ['galley(import-direction)', 'apps/dashboard/src/ui/feature.ts', "export { row } from '../features/tasks/row.ts';\n"],
  [
    'galley(import-direction)',
    'apps/dashboard/src/features/reader/other.ts',
    "import { row } from '../tasks/row.ts';\nexport const two = row;\n",
  ],
  [
    'react-hooks(rules-of-hooks)',
    'apps/dashboard/src/features/tasks/hooks.tsx',
    "import { useState } from 'react';\nexport function Panel({ open }: { open: boolean }) {\n  if (open) useState(1);\n  return null;\n}\n",
  ],
  [
    'react-hooks(exhaustive-deps)',
    'apps/dashboard/src/features/tasks/deps.tsx',
    "import { useEffect } from 'react';\nexport function Panel({ id, load }: { id: string; load: (id: string) => void }) {\n  useEffect(() => {\n    load(id);\n  }, []);\n  return null;\n}\n",
  ],
  ['jsx-a11y(alt-text)', 'apps/dashboard/src/features/tasks/alt.tsx', 'export const Picture = () => <img src="/page.png" />;\n'],
];

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    module: 'preserve',
    jsx: 'react-jsx',
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  },
};

/** @type {string} */
let directory;
/** @type {Set<string>} */
let found;

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'galley-lint-'));
  const config = await readFile(path.join(ROOT, '.oxlintrc.json'), 'utf8');
  await writeFile(path.join(directory, '.oxlintrc.json'), config.replace('./scripts/lint/', path.join(ROOT, 'scripts/lint/')));
  await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await symlink(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  await plant('apps/dashboard/src/features/tasks/row.ts', 'export const row = 1;\n');
  for (const [, file, source] of FAULTS) await plant(file, source);
  found = await lint();
}, 60_000);

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

it.each(FAULTS)('%s fires on %s', (rule, file) => {
  expect(found).toContain(`${rule} ${file}`);
});

it('has nothing to say about code without faults', () => {
  expect([...found].filter((line) => line.endsWith('features/tasks/row.ts'))).toEqual([]);
});

/** @param {string} file @param {string} source */
async function plant(file, source) {
  const target = path.join(directory, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, source);
}

/** Lints the planted tree; answers `<rule> <file>` for each finding. */
async function lint() {
  const oxlint = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const answer = await promisify(execFile)(process.execPath, [oxlint, '--format', 'json'], { cwd: directory }).catch(
    (/** @type {{ stdout: string }} */ failure) => failure,
  );
  /** @type {{ diagnostics: { code: string, filename: string }[] }} */
  const { diagnostics } = JSON.parse(answer.stdout);
  return new Set(diagnostics.map(({ code, filename }) => `${code} ${filename}`));
}
