import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const page = readFileSync(new URL('../../../../docs/library.md', import.meta.url), 'utf8');
const text = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
// Beside the built package, so that `@galley/core` means to the example what it means to a reader.
const directory = fileURLToPath(new URL(`../../dist/quick-start-${process.pid}`, import.meta.url));
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/** As strict as a reader may be. */
const READERS_CONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    skipLibCheck: true,
  },
  include: ['*.mts'],
};

/** What the compiler finds wrong in the files, one a line; it writes plain JavaScript beside them all the same. */
async function compile(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(READERS_CONFIG));
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', directory, '--pretty', 'false'], { cwd: directory }, (_error, stdout, stderr) =>
      // What is indented goes on about the fault above it.
      resolve(`${stdout}${stderr}`.split('\n').filter((line) => /^\S/.test(line))),
    );
  });
}

beforeEach(() => mkdir(directory, { recursive: true }));
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the quick start of docs/library.md', () => {
  it('compiles under strict rules as it stands, runs, says what it says it does, and stops by itself', async () => {
    const example = text.replace('redis://127.0.0.1:6379', suite.redis.server.url);
    const mistaken = example.replace('payload.name', 'payload.nome').replace('{ greeting: `', '{ greetings: `');
    const faults = await compile({ 'example.mts': example, 'payload.mts': mistaken });
    expect(faults.filter((fault) => !fault.startsWith('payload.mts'))).toEqual([]);
    expect(faults.join('\n')).toMatch(/nome/);
    expect(faults.join('\n')).toMatch(/greetings/);
    const said = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await import(pathToFileURL(join(directory, 'example.mjs')).href);
      const [, promised = ''] = /console\.log\(.*\/\/ (.*)/.exec(text) ?? [];
      expect(said.mock.calls.map((words) => words.join(' '))).toEqual([promised]);
    } finally {
      said.mockRestore();
    }
    expect(await suite.connection.client.zcard('galley:workers')).toBe(0);
  });
});
