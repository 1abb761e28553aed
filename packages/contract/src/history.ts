/** How far back a history can be asked for, in minutes; one point a minute. */
export const HISTORY_RANGES = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440 } as const;
export type HistoryRange = keyof typeof HISTORY_RANGES;
