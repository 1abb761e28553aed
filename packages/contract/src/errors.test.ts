import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE, ERROR_CODES, errorEntry, GalleyError, isErrorCode } from './errors.ts';

describe('the error catalogue', () => {
  it('stands in docs/errors.md as it is', () => {
    const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(
      Object.entries(ERROR_CATALOGUE).map(
        ([code, entry]) =>
          `| \`${code}\` | ${entry.status ?? '–'} | ${entry.retry} | ${entry.revivable ? 'yes' : 'no'} | ${entry.title} | ${entry.remedy} |`,
      ),
    );
  });

  it('gives each code an HTTP error status or none', () => {
    for (const code of ERROR_CODES) {
      const { status } = ERROR_CATALOGUE[code];
      if (status !== null) expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  it('treats a code it does not know as a transient error of unknown class', () => {
    expect(isErrorCode('constructor')).toBe(false);
    expect(errorEntry('a handler of somebody')).toBe(ERROR_CATALOGUE.unknown_error);
    expect(ERROR_CATALOGUE.unknown_error.retry).toBe('transient');
  });

  it('keeps code, cause and the wait that was asked for on the error', () => {
    const cause = new Error('below');
    const error = new GalleyError('upstream_rate_limited', 'slow down', { cause, retryAfterMs: 1500 });
    expect(error).toMatchObject({ name: 'GalleyError', code: 'upstream_rate_limited', message: 'slow down', cause, retryAfterMs: 1500 });
  });
});
