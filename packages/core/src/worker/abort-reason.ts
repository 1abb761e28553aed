import { GalleyError } from '@galley/contract';

/** Why a run was told to stop; decides what is reported of it. */
export type AbortReason = 'cancelled' | 'lease_lost' | 'lease_unsure' | 'timeout' | 'stopping';

export function abortError(reason: AbortReason, detail: string): GalleyError {
  switch (reason) {
    case 'cancelled':
      return new GalleyError('task_cancelled', detail);
    case 'lease_lost':
    case 'lease_unsure':
      return new GalleyError('lease_lost', detail);
    case 'timeout':
      return new GalleyError('timeout', detail);
    case 'stopping':
      return new GalleyError('shutting_down', detail);
  }
}
