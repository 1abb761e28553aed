import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeHeader, encodePayload, PAYLOAD_LIMIT_BYTES } from './message.ts';

describe('a message', () => {
  it('comes back as it went in', () => {
    const header = { type: 'page', identity: 'i', tags: { user: 'ü "q"\n' }, timeout_ms: 5, result_ms: 6, concurrency_key: 'k' };
    const payload = { text: 'line\nline', nested: [1, null, true, { deep: 'ü' }] };
    expect(decodeMessage(`${encodeHeader(header)}\n${encodePayload(payload)}`)).toEqual({ header, payload });
  });

  it('has its header on one line, whatever is in it', () => {
    expect(encodeHeader({ type: 'a\nb', tags: { user: 'c\r\nd' } })).not.toMatch(/[\n\r]/);
  });

  it('carries a payload up to its limit and refuses more, by bytes', () => {
    expect(encodePayload('x'.repeat(PAYLOAD_LIMIT_BYTES - 2))).toHaveLength(PAYLOAD_LIMIT_BYTES);
    expect(() => encodePayload('x'.repeat(PAYLOAD_LIMIT_BYTES - 1))).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
    expect(() => encodePayload('é'.repeat(PAYLOAD_LIMIT_BYTES / 2))).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
  });

  it('writes a missing payload as null', () => {
    expect(encodePayload(undefined as never)).toBe('null');
  });

  it.each([
    ['nine tags', Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${'abcdefghi'[index]}`, 'v']))],
    ['a kind with a capital', { User: 'u' }],
    ['a kind with a colon', { 'a:b': 'u' }],
    ['an empty kind', { '': 'u' }],
    ['a long value', { user: 'é'.repeat(257) }],
    ['half a character', { user: 'a\ud83d' }],
  ])('refuses %s', (_name, tags) => {
    expect(() => encodeHeader({ type: 'work', tags })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('leaves out empty tags, so that the scripts need not look', () => {
    expect(encodeHeader({ type: 'work', tags: {} })).toBe('{"type":"work"}');
  });

  it('that has lost its header is refused by a code', () => {
    expect(() => decodeMessage('')).toThrow(expect.objectContaining({ code: 'payload_invalid' }));
  });
});
