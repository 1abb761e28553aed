import type { AlertThresholds } from '@galley/contract';

export type ThresholdName = keyof AlertThresholds;

/** One field of the form. `scale`: how many of the contract's units (ms, or none) one of the field's units is; bounds in the field's units. */
export interface ThresholdField {
  readonly name: ThresholdName;
  readonly scale: number;
  readonly least: number;
  readonly most: number;
}

export const THRESHOLD_FIELDS: readonly ThresholdField[] = [
  { name: 'stuck_least_ms', scale: 1_000, least: 1, most: 86_400 },
  { name: 'stuck_times_p95', scale: 1, least: 1, most: 1_000 },
  { name: 'backlog_old_ms', scale: 60_000, least: 0.1, most: 43_200 },
  { name: 'dying_least', scale: 1, least: 1, most: 1_000_000 },
];

/** What a person reads in the fields and may change. */
export type ThresholdTexts = Readonly<Record<ThresholdName, string>>;

const inField = (field: ThresholdField, value: number): string => String(Math.round((value / field.scale) * 100) / 100);

export function textsOf(thresholds: AlertThresholds): ThresholdTexts {
  const text = (name: ThresholdName): string => {
    const field = THRESHOLD_FIELDS.find((one) => one.name === name);
    return field === undefined ? '' : inField(field, thresholds[name]);
  };
  return {
    stuck_least_ms: text('stuck_least_ms'),
    stuck_times_p95: text('stuck_times_p95'),
    backlog_old_ms: text('backlog_old_ms'),
    dying_least: text('dying_least'),
  };
}

/** The value in the contract's units; null where what was typed is no number within the bounds, or no whole one where only those mean anything. */
export function valueOf(field: ThresholdField, text: string): number | null {
  const typed = text.trim();
  if (!/^\d+([.,]\d+)?$/.test(typed)) return null;
  const number = Number(typed.replace(',', '.'));
  if (number < field.least || number > field.most) return null;
  const value = number * field.scale;
  return field.scale === 1 && !Number.isInteger(value) ? null : Math.round(value);
}

/** All of them; null while one cannot be used. */
export function thresholdsOf(texts: ThresholdTexts): AlertThresholds | null {
  const value = (name: ThresholdName): number | null => {
    const field = THRESHOLD_FIELDS.find((one) => one.name === name);
    return field === undefined ? null : valueOf(field, texts[name]);
  };
  const stuckLeast = value('stuck_least_ms');
  const stuckTimes = value('stuck_times_p95');
  const backlogOld = value('backlog_old_ms');
  const dyingLeast = value('dying_least');
  if (stuckLeast === null || stuckTimes === null || backlogOld === null || dyingLeast === null) return null;
  return { stuck_least_ms: stuckLeast, stuck_times_p95: stuckTimes, backlog_old_ms: backlogOld, dying_least: dyingLeast };
}
