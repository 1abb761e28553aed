import { describe, expect, it } from 'vitest';
import { parsePreferences } from './preferences.ts';

describe('parsePreferences', () => {
  it('takes the browser’s language and the system’s theme at first', () => {
    expect(parsePreferences(null, ['fr-FR', 'zh-TW', 'en'])).toEqual({
      theme: 'system',
      language: 'zh',
      singleKeys: true,
      readerTextWidth: 500,
    });
    expect(parsePreferences(null, ['fr-FR']).language).toBe('en');
  });
  it('keeps what fits and defaults what does not', () => {
    const saved = parsePreferences('{"theme":"dark","language":"xx","singleKeys":false,"readerTextWidth":9000}', ['en']);
    expect(saved).toEqual({ theme: 'dark', language: 'en', singleKeys: false, readerTextWidth: 720 });
  });
  it('outlives text that is not JSON', () => {
    expect(parsePreferences('{{', ['en']).theme).toBe('system');
    expect(parsePreferences('null', ['en']).theme).toBe('system');
  });
});
