import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const page = readFileSync(new URL('../../../../docs/library.md', import.meta.url), 'utf8');
// Beside the built package, so that `@galley/core` means to the example what it means to a reader.
const example = new URL(`../../dist/quick-start-${process.pid}.mjs`, import.meta.url);

/** The page's first example as a module of plain JavaScript that waits for its task and exports its result. */
function moduleOf(markdown: string, url: string): string {
  const code = /```ts\n([\s\S]*?)```/.exec(markdown)?.[1] ?? '';
  return code
    .replace(/^interface [\s\S]*?^}$/m, '')
    .replaceAll('<Tasks>', '')
    .replace('redis://127.0.0.1:6379', url)
    .replace(
      'const result =',
      'while ((await inspector.get(id))?.state !== "completed") await new Promise((resolve) => setTimeout(resolve, 5));\nexport const result =',
    );
}

afterEach(() => rm(example, { force: true }));

describe('the quick start of docs/library.md', () => {
  it('runs as it stands, and stops by itself', async () => {
    await writeFile(example, moduleOf(page, suite.redis.server.url));
    const { result } = (await import(example.href)) as { result: { value: string } | null };
    expect(JSON.parse(result?.value ?? 'null')).toEqual({ greeting: 'Hello, world' });
    expect(await suite.connection.client.zcard('galley:workers')).toBe(0);
  });
});
