import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { alter, SABOTAGES } from './sabotages.ts';

it.each(Object.entries(SABOTAGES))('%s alters scripts as they are now', async (_name, alterations) => {
  for (const { file } of alterations) {
    const text = await readFile(new URL(`scripts/${file}`, import.meta.resolve('@galley/core')), 'utf8');
    expect(alter(file, text, alterations)).not.toBe(text);
  }
});

it('refuses a script that no longer holds what is to be altered, or holds it twice', () => {
  const alterations = [{ file: 'claim.lua', find: 'here', put: 'there' }];
  expect(alter('claim.lua', 'it is here', alterations)).toBe('it is there');
  expect(alter('submit.lua', 'it is here', alterations)).toBe('it is here');
  expect(() => alter('claim.lua', 'it is gone', alterations)).toThrow(/0 times/);
  expect(() => alter('claim.lua', 'here and here', alterations)).toThrow(/2 times/);
});
