import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChildLog } from './child-log.mjs';

/** @type {string} */
let directory;
/** @type {string[]} */
let shown;
/** @type {ChildLog} */
let log;

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'galley-log-'));
  shown = [];
  log = new ChildLog({ directory, name: 'server', say: (line) => shown.push(line) });
});
afterEach(async () => {
  log.close();
  await rm(directory, { recursive: true });
});

it('keeps every line and shows warnings and errors in words', async () => {
  log.take('stdout', '{"level":30,"msg":"listening"}\n{"level":40,"msg":"slow"}\n');
  log.take('stdout', '{"level":50,"msg":"cannot read","err":{"message":"no such file"}}\nplain\n');
  expect(shown).toEqual(['server: warning: slow', 'server: error: cannot read (no such file)']);
  expect(await readFile(log.file, 'utf8')).toBe(
    '{"level":30,"msg":"listening"}\n{"level":40,"msg":"slow"}\n{"level":50,"msg":"cannot read","err":{"message":"no such file"}}\nplain\n',
  );
  expect(log.lastLines).toEqual(['info: listening', 'warning: slow', 'error: cannot read (no such file)', 'plain']);
});

it('puts lines together that come in pieces, and keeps one without an end', () => {
  log.take('stderr', 'first ha');
  log.take('stdout', '{"level":50,');
  log.take('stderr', 'lf\nsecond');
  log.take('stdout', '"msg":"soup"}\n');
  expect(shown).toEqual(['server: first half', 'server: error: soup']);
  log.flush();
  expect(shown.at(-1)).toBe('server: second');
});

it('shows what Node says of a crash once, however often the program dies of it', () => {
  for (let death = 0; death < 3; death += 1) {
    log.begin();
    log.take('stderr', 'Error: no such module\n    at start\n');
  }
  expect(shown).toEqual(['server: Error: no such module', 'server:     at start']);
  expect(log.lastLines).toEqual(['Error: no such module', '    at start']);
});
