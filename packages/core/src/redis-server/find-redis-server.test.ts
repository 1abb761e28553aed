import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRedisServer, isAtLeast } from './find-redis-server.ts';

describe('findRedisServer', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'galley-find-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  /** A program that answers `--version` as the named one does. */
  async function program(name: string, banner: string): Promise<string> {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\necho '${banner}'\n`);
    await chmod(file, 0o755);
    return file;
  }

  it('finds the one of this machine', async () => {
    const found = await findRedisServer();
    expect(found.path).toMatch(/^\/.*(redis|valkey)-server$/);
    expect(found.version).toMatch(/^\d+\.\d+/);
  });

  it('takes a redis-server of 7.0 or newer', async () => {
    const file = await program('redis-server', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64');
    expect(await findRedisServer(folder)).toEqual({ path: file, kind: 'redis', version: '7.0.15' });
  });

  it('takes a valkey-server when redis-server is too old', async () => {
    await program('redis-server', 'Redis server v=6.2.14 sha=00000000:0');
    const file = await program('valkey-server', 'Valkey server v=8.1.1 sha=00000000:0');
    expect(await findRedisServer(folder)).toEqual({ path: file, kind: 'valkey', version: '8.1.1' });
  });

  it('goes by the banner, not by the name', async () => {
    await program('redis-server', 'Valkey server v=7.0.1 sha=00000000:0');
    await expect(findRedisServer(folder)).rejects.toThrow(/is Valkey 7\.0\.1; Galley needs 7\.2 or newer/);
  });

  it('says what is missing and what to do', async () => {
    await expect(findRedisServer(folder)).rejects.toMatchObject({
      code: 'redis_unavailable',
      message: expect.stringMatching(/Neither redis-server nor valkey-server is on PATH\. Install Redis 7\.0.*GALLEY_REDIS_URL/),
    });
  });
});

describe('isAtLeast', () => {
  it.each([
    ['7.0.15', true],
    ['7.2', true],
    ['10.0.0', true],
    ['6.2.14', false],
  ])('%s against 7.0: %s', (version, answer) => {
    expect(isAtLeast(version, [7, 0])).toBe(answer);
  });
});
