import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { readSettings, SETTINGS, wholeNumberSetting, withoutPassword, wordSetting } from './settings.ts';

const schema = z.object({
  GALLEY_PORT: wholeNumberSetting(1, 65_535, 7300),
  GALLEY_ORDER: wordSetting(['strict', 'aging'], 'strict'),
  GALLEY_REDIS_URL: z.optional(z.string().check(z.startsWith('redis', 'it takes redis://host:6379'))),
});

describe('settings', () => {
  it('stand in docs/operations.md as they are', () => {
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `GALLEY_'));
    const forPeople = Object.entries(SETTINGS).filter(([, { readers }]) => readers.join() !== 'tests');
    expect(rows).toEqual(forPeople.map(([name, { otherwise, meaning }]) => `| \`${name}\` | ${otherwise} | ${meaning} |`));
  });

  it('are read where they are set, and an empty one counts as left out', () => {
    expect(readSettings({ GALLEY_PORT: ' 8080 ', GALLEY_ORDER: '', HOME: '/root' }, schema)).toEqual({ GALLEY_PORT: 8080 });
  });

  it('of other programs are passed over', () => {
    expect(readSettings({ GALLEY_WORKERS: '4' }, schema)).toEqual({});
  });

  it.each([
    [{ GALLEY_PORT: '0' }, 'GALLEY_PORT is "0"; it takes a whole number from 1 to 65535; left out, it is 7300.'],
    [{ GALLEY_PORT: '80a' }, 'GALLEY_PORT is "80a"'],
    [{ GALLEY_ORDER: 'lifo' }, 'it takes strict or aging'],
    [{ GALLEY_PROT: '80' }, 'GALLEY_PROT: no setting has this name'],
  ])('refuse %j in a sentence that says how to mend it', (environment, sentence) => {
    expect(() => readSettings(environment, schema)).toThrow(sentence);
  });

  it('never show a password', () => {
    expect(() => readSettings({ GALLEY_REDIS_URL: 'http://:secret@host' }, schema)).toThrow(
      'GALLEY_REDIS_URL is set; it takes redis://host:6379.',
    );
    expect(withoutPassword('redis://:se@cret@host:6379')).toBe('redis://***@host:6379');
  });
});
