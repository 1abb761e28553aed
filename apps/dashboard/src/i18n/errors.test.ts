import { ERROR_CODES } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { errorWords } from './errors.ts';

describe('errorWords', () => {
  it('says every code of the catalogue in both languages', () => {
    for (const code of ERROR_CODES) {
      expect(errorWords(code, 'en').title).not.toBe('');
      expect(`${code} ${errorWords(code, 'zh').title}`).toMatch(/\p{Script=Han}/u);
      expect(`${code} ${errorWords(code, 'zh').remedy}`).toMatch(/。$/u);
    }
  });
  it('reads a code of somebody’s own handler as an unknown error that can be tried again', () => {
    expect(errorWords('my_own', 'en')).toMatchObject({ title: 'The handler failed', revivable: true });
  });
  it('knows where a retry cannot help', () => {
    expect(errorWords('encrypted_document', 'zh').revivable).toBe(false);
    expect(errorWords('crash_loop', 'zh').revivable).toBe(true);
  });
});
