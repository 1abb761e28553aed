import { ERROR_CATALOGUE, ERROR_CODES, GalleyError } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';

const thrown = (fields: object): Error => Object.assign(new Error('it failed'), fields);

describe('a failure', () => {
  it.each(ERROR_CODES)('of our own keeps its code and the class that the catalogue gives it: %s', (code) => {
    expect(failureOf(new GalleyError(code, 'it failed'))).toMatchObject({ code, class: ERROR_CATALOGUE[code].retry, message: 'it failed' });
  });

  it.each([400, 401, 403, 404, 410, 422])('with HTTP status %i is permanent', (status) => {
    expect(failureOf(thrown({ status }))).toMatchObject({ class: 'permanent', code: 'upstream_rejected' });
    expect(failureOf(thrown({ statusCode: status }))).toMatchObject({ class: 'permanent' });
  });

  it.each([408, 500, 502, 503, 504, 599])('with HTTP status %i is transient', (status) => {
    expect(failureOf(thrown({ status }))).toMatchObject({ class: 'transient', code: 'upstream_failed' });
  });

  it('with HTTP status 429 is deferred, and keeps the wait that was asked for', () => {
    expect(failureOf(thrown({ status: 429, retryAfterMs: 7_000 }))).toMatchObject({
      class: 'deferred',
      code: 'upstream_rate_limited',
      retryAfterMs: 7_000,
    });
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ECONNABORTED'])(
    'of a connection (%s) is transient',
    (code) => {
      expect(failureOf(thrown({ code }))).toMatchObject({ class: 'transient', code: 'upstream_failed' });
    },
  );

  it('of a missing file is permanent, of a missing socket or program transient', () => {
    for (const syscall of ['open', 'stat', 'lstat', 'access', 'scandir', 'copyfile'])
      expect(failureOf(thrown({ code: 'ENOENT', syscall }))).toMatchObject({ class: 'permanent' });
    for (const syscall of ['connect', 'spawn engine', 'getaddrinfo'])
      expect(failureOf(thrown({ code: 'ENOENT', syscall }))).toMatchObject({ class: 'transient' });
  });

  it.each([
    'not found',
    'invalid input',
    '404',
    'HTTP 429 Too Many Requests',
    'ECONNREFUSED',
    'permanent',
    'encrypted_document',
    'timeout',
  ])('is never told by the words of its message: %j', (message) => {
    expect(failureOf(new Error(message))).toMatchObject({ class: 'transient', code: 'unknown_error', message });
  });

  it.each([
    thrown({ status: 418 }),
    thrown({ status: '404' }),
    thrown({ code: 'SOMETHING' }),
    thrown({ code: 23 }),
    new TypeError('x'),
    {},
    null,
    undefined,
    7,
    'text',
  ])('of unknown class is transient: %#', (error) => {
    expect(failureOf(error)).toMatchObject({ class: 'transient', code: 'unknown_error' });
  });

  it('is told by its cause where it does not say itself', () => {
    const refused = thrown({ code: 'ECONNREFUSED' });
    expect(failureOf(new TypeError('fetch failed', { cause: refused }))).toMatchObject({
      class: 'transient',
      code: 'upstream_failed',
      message: 'fetch failed',
    });
    const encrypted = new GalleyError('encrypted_document', 'a password is needed');
    expect(failureOf(new Error('page 3', { cause: new Error('its file', { cause: encrypted }) }))).toMatchObject({
      class: 'permanent',
      code: 'encrypted_document',
    });
    expect(failureOf(new GalleyError('engine_failed', 'it failed', { cause: encrypted }))).toMatchObject({ code: 'engine_failed' });
  });

  it('keeps the names and stacks of its causes, also where they go in a circle', () => {
    const first = new RangeError('too far');
    const second = new Error('the page failed', { cause: first });
    first.cause = second;
    const { stack = '' } = failureOf(second);
    expect(stack).toMatch(/^Error: the page failed\n[^]*\nCaused by: RangeError: too far\n/);
    expect(stack.match(/Caused by/g)).toHaveLength(1);
  });

  it('is known by its code where another copy of the class threw it', () => {
    expect(failureOf({ name: 'GalleyError', code: 'encrypted_document', message: 'm' })).toMatchObject({
      class: 'permanent',
      code: 'encrypted_document',
    });
  });

  it('always has a message, and neither it nor the stack is endless', () => {
    expect(failureOf({}).message).not.toBe('');
    expect(failureOf(new Error('')).message).not.toBe('');
    const failure = failureOf(Object.assign(new Error('x'.repeat(1e6)), { stack: 'y'.repeat(1e6) }));
    expect(failure.message.length).toBeLessThanOrEqual(2_000);
    expect(failure.stack?.length).toBeLessThanOrEqual(8_000);
  });

  it('does not pass on a wait that is none', () => {
    for (const retryAfterMs of [-1, 'soon', Number.NaN])
      expect(failureOf(thrown({ status: 429, retryAfterMs }))).not.toHaveProperty('retryAfterMs');
  });

  it('is put into bounded words whatever was thrown', () => {
    const long = 'x'.repeat(10_000_000);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const loud = new Error(long, { cause: new Error(long, { cause: new Error(long) }) });
    const odd = Object.assign(new GalleyError('timeout', 'it failed'), { code: long });
    for (const error of [undefined, null, 10n, Symbol('odd'), long, loud, odd, proxy, () => 'not an error', Object.create(null)]) {
      const failure = failureOf(error);
      expect(failure).toMatchObject({ class: 'transient', code: 'unknown_error', message: expect.any(String) });
      expect(JSON.stringify(failure).length).toBeLessThan(12_000);
    }
  });

  it('survives an error whose fields throw', () => {
    const hostile = Object.defineProperty({}, 'message', {
      get: () => {
        throw new Error('no message for you');
      },
    });
    expect(failureOf(hostile)).toMatchObject({ class: 'transient', code: 'unknown_error' });
  });
});
