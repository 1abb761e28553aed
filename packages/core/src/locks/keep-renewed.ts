import { GalleyError } from '@galley/contract';
import type { ReleaseWord, RenewWord } from './lock-store.ts';

/** A lock or several. */
export interface Renewable {
  readonly signal: AbortSignal;
  renew(ttlMs?: number): Promise<RenewWord>;
  release(): Promise<ReleaseWord>;
}

/** Renews at a third of the TTL, so that two renewals may fail, until stopped or the lock is lost. Returns how to stop. */
export function keepRenewed(lock: Renewable, ttlMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const later = (): void => {
    timer = setTimeout(() => void renewOnce(), Math.max(1, Math.floor(ttlMs / 3)));
  };
  const renewOnce = async (): Promise<void> => {
    // A store that is away may be back at the next try; the lock's own signal says when it is too late.
    await lock.renew(ttlMs).catch(() => undefined);
    if (!stopped && !lock.signal.aborted) later();
  };
  later();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Runs `fn` while the lock is kept renewed, and gives it back. Rejects with `lock_lost` where it was lost before `fn` had ended. */
export async function runRenewed<Result>(
  lock: Renewable,
  ttlMs: number,
  fn: (signal: AbortSignal) => Promise<Result> | Result,
): Promise<Result> {
  const { signal } = lock;
  const stop = keepRenewed(lock, ttlMs);
  const outcome = await Promise.resolve()
    .then(() => fn(signal))
    .then(
      (result) => ({ ok: true as const, result }),
      (error: unknown) => ({ ok: false as const, error }),
    );
  stop();
  const lostBefore = signal.aborted;
  const released = await lock.release().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (!outcome.ok) throw outcome.error;
  if (lostBefore || released === 'expired' || released === 'taken') {
    throw new GalleyError('lock_lost', 'The lock was lost before the work under it had ended.', { cause: signal.reason });
  }
  if (released instanceof Error) throw released;
  return outcome.result;
}
