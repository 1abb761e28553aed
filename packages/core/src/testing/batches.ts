import { timelineMs } from '../queue/settings.ts';
import { type CancelReply, cancelScript, parseCancel } from '../scripts/cancel.ts';
import { type CompleteWord, completeRun, completeScript, parseComplete } from '../scripts/complete.ts';
import { type FailWord, failScript, parseFail } from '../scripts/fail.ts';
import { type PurgeWord, parsePurge, purgeScript } from '../scripts/purge.ts';
import { parseRelease, type ReleaseWord, releaseScript } from '../scripts/release.ts';
import { parseRenew, type RenewWord, renewScript } from '../scripts/renew.ts';
import type { TestScheduler } from './scheduler.ts';

interface Row {
  readonly id: string;
  readonly fence: number;
}

function base(scheduler: TestScheduler): { sequence_at: number; timeline_ms: number } {
  return { sequence_at: scheduler.shard.sequenceAt, timeline_ms: timelineMs(scheduler.queue.settings) };
}

/** One call of the verb over several rows of the first shard; a word for each. */
export async function completeAll(
  scheduler: TestScheduler,
  worker: string,
  rows: readonly (Row & { counters?: string; result?: string })[],
): Promise<CompleteWord[]> {
  const full = rows.map(({ id, fence, counters = '', result = '1' }) => ({ id, run: completeRun(fence, 60_000, counters), result }));
  return parseComplete(
    await scheduler.connection.run(
      completeScript,
      scheduler.shard.keys,
      { ...base(scheduler), worker, lock_keys: scheduler.queue.layout.lockKeys ? 1 : 0 },
      full,
    ),
    full.length,
  ).words;
}

export async function failAll(
  scheduler: TestScheduler,
  worker: string,
  rows: readonly (Row & { class: 'transient' | 'permanent' | 'deferred' | 'crash' })[],
): Promise<FailWord[]> {
  const full = rows.map((row) => ({ ...row, code: 'engine_failed', delay_ms: 60_000, error: '{"code":"engine_failed","message":"no"}' }));
  const values = { ...base(scheduler), worker, deferred_limit_ms: scheduler.queue.settings.deferredLimitMs };
  return parseFail(await scheduler.connection.run(failScript, scheduler.shard.keys, values, full)).words;
}

export async function renewAll(scheduler: TestScheduler, worker: string, rows: readonly Row[]): Promise<RenewWord[]> {
  const values = { ...base(scheduler), worker, lease_ms: scheduler.queue.settings.leaseMs, lock_keys: 1 };
  const full = rows.map((row) => ({ ...row, progress: -1 }));
  return parseRenew(await scheduler.connection.run(renewScript, scheduler.shard.keys, values, full)).words;
}

export async function releaseAll(scheduler: TestScheduler, worker: string, rows: readonly Row[]): Promise<ReleaseWord[]> {
  return parseRelease(await scheduler.connection.run(releaseScript, scheduler.shard.keys, { ...base(scheduler), worker }, rows)).words;
}

/** One call of purge alone: `limit` tasks at most, as the script bounds it. */
export async function purgeOnce(scheduler: TestScheduler, ids: readonly string[], limit: number): Promise<PurgeWord[]> {
  const rows = ids.map((id) => ({ id }));
  return parsePurge(await scheduler.connection.run(purgeScript, scheduler.shard.keys, { ...base(scheduler), limit }, rows)).words;
}

/** One call of cancel alone, as far as its limit reaches. */
export async function cancelOnce(scheduler: TestScheduler, id: string, fromChild: number, limit: number): Promise<CancelReply> {
  const values = { ...base(scheduler), id, from_child: fromChild, limit };
  return parseCancel(await scheduler.connection.run(cancelScript, scheduler.shard.keys, values));
}
