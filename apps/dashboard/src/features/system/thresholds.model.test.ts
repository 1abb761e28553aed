import { alertThresholdsSchema, DEFAULT_ALERT_THRESHOLDS } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { THRESHOLD_FIELDS, textsOf, thresholdsOf, valueOf } from './thresholds.model.ts';

describe('alert thresholds', () => {
  it('are shown in units that people count in, and come back as they were', () => {
    const texts = textsOf(DEFAULT_ALERT_THRESHOLDS);
    expect(texts).toEqual({ stuck_least_ms: '60', stuck_times_p95: '10', backlog_old_ms: '10', dying_least: '5' });
    expect(thresholdsOf(texts)).toEqual(DEFAULT_ALERT_THRESHOLDS);
  });

  it('takes fractions of a time, and nothing that is no number within the bounds', () => {
    const texts = textsOf(DEFAULT_ALERT_THRESHOLDS);
    expect(thresholdsOf({ ...texts, backlog_old_ms: ' 1,5 ' })?.backlog_old_ms).toBe(90_000);
    for (const wrong of ['', '-1', '0', '1e3', 'ten', '2.5', '1000001'])
      expect(thresholdsOf({ ...texts, dying_least: wrong }), wrong).toBeNull();
  });

  it('has bounds that the contract allows', () => {
    for (const field of THRESHOLD_FIELDS) {
      for (const end of [field.least, field.most]) {
        const value = valueOf(field, String(end));
        expect(alertThresholdsSchema.safeParse({ ...DEFAULT_ALERT_THRESHOLDS, [field.name]: value }).success, `${field.name} ${end}`).toBe(
          true,
        );
      }
    }
  });
});
