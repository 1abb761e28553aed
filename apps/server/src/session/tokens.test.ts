import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashToken, Tokens } from './tokens.ts';

const hash = createHash('sha256').update('secret').digest('hex');

describe('the tokens file', () => {
  test('is lines or JSON', () => {
    const principal = { role: 'user', userId: 'ada', authenticated: true, bestPriority: 10 };
    expect(Tokens.parse(`\n# who\n${hash}  ada user 10 # night shift\n`, 'tokens').find(hashToken('secret'))).toEqual(principal);
    const json = JSON.stringify([{ sha256: hash, user: 'ada', role: 'user', best_priority: 10 }]);
    expect(Tokens.parse(json, 'tokens').find(hashToken('secret'))).toEqual(principal);
    expect(Tokens.parse(json, 'tokens').find(hashToken('other'))).toBeNull();
  });

  test.each([
    ['', /tokens holds no token/],
    ['secret ada user', /tokens, entry 1: sha256: a SHA-256 is 64 lower-case hex digits/],
    [`${hash} ada king`, /entry 1: role/],
    [`${hash} ada user soon`, /entry 1: best_priority/],
    ['[{', /not valid JSON/],
  ])('refuses %j with a sentence that shows the form', (text, sentence) => {
    expect(() => Tokens.parse(text, 'tokens')).toThrow(sentence);
    expect(() => Tokens.parse(text, 'tokens')).toThrow(/<viewer\|user\|admin>/);
  });

  test('says so where the file cannot be read', async () => {
    await expect(Tokens.read('/nowhere/tokens')).rejects.toThrow(/GALLEY_TOKENS_FILE is \/nowhere\/tokens, which cannot be read/);
  });
});
