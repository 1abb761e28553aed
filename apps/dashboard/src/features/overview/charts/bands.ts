import type { PriorityBand } from '@galley/contract';

export const BAND_COLOURS = {
  urgent: 'var(--band-urgent)',
  high: 'var(--band-high)',
  normal: 'var(--band-normal)',
  bulk: 'var(--band-bulk)',
} as const satisfies Record<PriorityBand, string>;
