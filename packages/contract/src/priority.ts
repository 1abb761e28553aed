/** Lower runs first. */
export const PRIORITY_MIN = 1;
export const PRIORITY_MAX = 1000;

export const PRIORITY_PRESETS = { urgent: 1, high: 10, normal: 100, bulk: 1000 } as const;
export type PriorityPreset = keyof typeof PRIORITY_PRESETS;

export const DEFAULT_PRIORITY = PRIORITY_PRESETS.normal;

/** The bands a priority falls in: urgent 1–9, high 10–99, normal 100–999, bulk 1000. */
export const PRIORITY_BANDS = ['urgent', 'high', 'normal', 'bulk'] as const satisfies PriorityPreset[];
export type PriorityBand = (typeof PRIORITY_BANDS)[number];

export function bandOf(priority: number): PriorityBand {
  if (priority < PRIORITY_PRESETS.high) return 'urgent';
  if (priority < PRIORITY_PRESETS.normal) return 'high';
  if (priority < PRIORITY_PRESETS.bulk) return 'normal';
  return 'bulk';
}
