import { describe, expect, it } from 'vitest';
import { checkSettings, DEFAULT_QUEUE_SETTINGS, type QueueSettings } from './settings.ts';

const NUMBERS = Object.entries(DEFAULT_QUEUE_SETTINGS).flatMap(([name, value]) => (typeof value === 'number' ? [name] : []));

function check(name: string, value: unknown): QueueSettings {
  // Callers without types too.
  return checkSettings(Object.assign({ ...DEFAULT_QUEUE_SETTINGS }, { [name]: value }));
}

describe('the settings of a queue', () => {
  it.each(NUMBERS)('take no %s that is no whole number of its range, and say so', (name) => {
    for (const value of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 53, '5', null, undefined])
      expect(() => check(name, value), String(value)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: expect.stringMatching(`^${name} ${value} is not a whole number from \\d+ to \\d+$`),
        }),
      );
  });

  it('take timelines that are true or false', () => {
    expect(() => check('timelines', 'yes')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(check('timelines', true).timelines).toBe(true);
  });

  it.each(['retentionMs', 'deadRetentionMs', 'retentionCount', 'deferredLimitMs', 'depthLimit', 'maxRetries'])('take a %s of 0', (name) => {
    expect(check(name, 0)).toMatchObject({ [name]: 0 });
  });

  it.each(['leaseMs', 'timeoutMs', 'resultMs', 'crashBudget'])('take no %s of 0', (name) => {
    expect(() => check(name, 0)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
