import type { QueueSight } from './lock-watch.ts';
import type { Interleaving } from './monitor-watch.ts';
import type { Concurrency, Overlap } from './overlaps.ts';
import { isSpedUp, type TrialFindings } from './trial.ts';

/** All that was found out about one queue. What could not be looked at is null or says why. */
export interface Findings {
  readonly queue: string;
  readonly seconds: number;
  readonly lockKeys: boolean;
  readonly leaseMs: number;
  readonly workers: number;
  /** Of all workers together. */
  readonly slots: number;
  readonly sight: QueueSight;
  readonly interleaving: Interleaving | { readonly unseen: string };
  /** Null where there are no logs to read. */
  readonly log: {
    readonly runs: number;
    readonly tasks: number;
    readonly overlaps: readonly Overlap[];
    readonly concurrency: Concurrency | null;
  } | null;
  readonly trial: TrialFindings | { readonly unseen: string };
}

export type Mark = 'ok' | 'fault' | 'serial' | 'unseen';

export interface Check {
  readonly name: string;
  readonly seen: string;
  readonly mark: Mark;
}

export const VERDICTS = ['parallel', 'serial', 'at fault', 'nothing seen', 'too little work'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judgement {
  readonly queue: string;
  readonly checks: readonly Check[];
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Where only looks tell, on average this many must run for some to have run side by side: looks at two shards lie apart. */
const LEAST_MEAN = 1.25;
const FAULTS_SHOWN = 3;
/** Fewer movements of locks say nothing about whose turn it was. */
const LEAST_SIGHTINGS = 20;

function sentences(faults: Iterable<string>): string {
  const all = [...faults];
  const more = all.length > FAULTS_SHOWN ? ` and ${all.length - FAULTS_SHOWN} more` : '';
  return all.slice(0, FAULTS_SHOWN).join('; ') + more;
}

export function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function checkLocks({ lockKeys, sight }: Findings): Check {
  const name = 'lock keys against running tasks';
  if (!lockKeys) return { name, seen: 'this queue keeps no lock keys', mark: 'unseen' };
  if (sight.contradictions.size > 0) return { name, seen: sentences(sight.contradictions), mark: 'fault' };
  if (sight.running === 0) return { name, seen: `nothing ran in ${sight.looks} looks`, mark: 'unseen' };
  const seen = `${sight.looks} looks, ${sight.locks} lock keys, ${sight.running} running, no contradiction`;
  return { name, seen, mark: 'ok' };
}

function checkTtls({ lockKeys, leaseMs, sight }: Findings): Check {
  const name = `every PTTL within (0, ${leaseMs}]`;
  if (sight.badTtls.size > 0) return { name, seen: sentences(sight.badTtls), mark: 'fault' };
  if (!lockKeys || sight.ttls === 0) return { name, seen: 'no lock key was seen', mark: 'unseen' };
  const least = Math.min(...sight.shards.flatMap((shard) => shard.leastTtlMs ?? []));
  const most = Math.max(...sight.shards.flatMap((shard) => shard.mostTtlMs ?? []));
  return { name, seen: `${sight.ttls} read, ${least} to ${most} ms`, mark: 'ok' };
}

function checkInterleaving({ lockKeys, interleaving, sight }: Findings): Check {
  const name = 'shards take turns (MONITOR)';
  if (!lockKeys) return { name, seen: 'this queue keeps no lock keys', mark: 'unseen' };
  if ('unseen' in interleaving) return { name, seen: interleaving.unseen, mark: 'unseen' };
  const { sightings, switches } = interleaving;
  const total = [...sightings.values()].reduce((sum, count) => sum + count, 0);
  const seen = `${sightings.size} of ${many(sight.shards.length, 'shard')}, ${total} times a lock taken, renewed or dropped, ${switches} changes of shard`;
  if (total === 0 || sight.shards.length === 1) return { name, seen, mark: 'unseen' };
  // One shard after the other changes once less than there are shards; more than that is turn about.
  if (sightings.size > 1 && switches >= sightings.size) return { name, seen, mark: 'ok' };
  // A few long tasks take and renew few locks, on whatever shards they are.
  return { name, seen, mark: total >= LEAST_SIGHTINGS && sight.backlogLooks > 0 ? 'serial' : 'unseen' };
}

function checkOverlaps({ log }: Findings): Check {
  const name = 'no two runs of a task overlap (logs)';
  if (log === null) return { name, seen: 'no logs of workers were found', mark: 'unseen' };
  if (log.runs === 0) return { name, seen: 'the logs tell of no run in this time', mark: 'unseen' };
  if (log.overlaps.length === 0) return { name, seen: `${many(log.runs, 'run')} of ${many(log.tasks, 'task')}, none overlap`, mark: 'ok' };
  const faults = log.overlaps.map(
    ({ task, earlier, later }) =>
      `${task} ran twice at once, fence ${earlier.fence} by ${earlier.worker} and ${later.fence} by ${later.worker}${earlier.lost || later.lost ? ' (a lease was lost)' : ''}`,
  );
  return { name, seen: sentences(faults), mark: 'fault' };
}

/** Runs side by side, most and on average; from the logs, which know each moment, else from the looks. */
function concurrencySeen({ log, sight }: Findings): Concurrency | null {
  if (log?.concurrency !== null && log?.concurrency !== undefined) return log.concurrency;
  return sight.busyLooks === 0 ? null : { most: sight.mostRunning, mean: sight.running / sight.busyLooks };
}

function isSideBySide(findings: Findings, { most, mean }: Concurrency): boolean {
  return findings.log?.concurrency ? most > 1 : most > 1 && mean >= LEAST_MEAN;
}

function checkConcurrency(findings: Findings): Check {
  const { slots, workers, sight } = findings;
  const name = 'tasks run side by side';
  const concurrency = concurrencySeen(findings);
  if (concurrency === null) return { name, seen: 'nothing ran', mark: 'unseen' };
  const { most, mean } = concurrency;
  const seen = `at most ${most}, ${mean.toFixed(1)} on average, of ${many(slots, 'slot')} of ${many(workers, 'worker')}`;
  if (isSideBySide(findings, concurrency)) return { name, seen, mark: 'ok' };
  const couldHave = slots === 1 || sight.backlogLooks > 0;
  return { name, seen: couldHave ? `${seen}, though others waited` : seen, mark: couldHave ? 'serial' : 'unseen' };
}

function checkTrial({ trial }: Findings): Check {
  if ('unseen' in trial) return { name: '1 worker against n on the same load', seen: trial.unseen, mark: 'unseen' };
  const { workers, slots, tasks, aloneMs, togetherMs, speedUp, wrong } = trial;
  const name = `1 worker against ${workers} on the same load`;
  if (wrong > 0) return { name, seen: `${wrong} of ${2 * tasks} tasks did not run exactly once`, mark: 'fault' };
  const times = `${(aloneMs / 1_000).toFixed(2)} s against ${(togetherMs / 1_000).toFixed(2)} s`;
  const seen = `${tasks} tasks, ${many(slots, 'slot')} each: ${times}, ${speedUp.toFixed(1)} times as fast`;
  return { name, seen, mark: isSpedUp(trial) ? 'ok' : 'serial' };
}

const CHECKS = [checkLocks, checkTtls, checkInterleaving, checkOverlaps, checkConcurrency, checkTrial];

/** What the findings amount to: sound and parallel, or why not. */
export function judge(findings: Findings): Judgement {
  const checks = CHECKS.map((check) => check(findings));
  const { queue, sight, log, seconds } = findings;
  const marked = (mark: Mark): string[] => checks.filter((check) => check.mark === mark).map(({ name, seen }) => `${name}: ${seen}`);
  const answer = (verdict: Verdict, reason: string): Judgement => ({ queue, checks, verdict, reason });
  if (marked('fault').length > 0) return answer('at fault', marked('fault').join('. '));
  if (sight.running === 0 && (log === null || log.runs === 0))
    return answer(
      'nothing seen',
      `No task ran in ${seconds} s, so nothing could be checked. Give it work (a few dozen files) and look again.`,
    );
  if (marked('serial').length > 0) return answer('serial', marked('serial').join('. '));
  const sideBySide = checks.find((check) => check.name === 'tasks run side by side');
  if (sideBySide?.mark !== 'ok')
    return answer('too little work', 'There was never a second task to run beside the first. Give it more work and look again.');
  return answer('parallel', 'Tasks ran side by side and every check that could be made held.');
}
