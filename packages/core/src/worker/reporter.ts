import { GalleyError } from '@galley/contract';
import type { Random } from '../clock.ts';
import { timelineMs } from '../queue/settings.ts';
import type { Connection } from '../redis/connection.ts';
import { backoffMs } from '../rules/backoff.ts';
import type { Failure } from '../rules/failure.ts';
import { isChildId, parseTaskId } from '../rules/ids.ts';
import { encodeHeader, encodePayload } from '../rules/message.ts';
import { checkNumbers } from '../rules/submit-limits.ts';
import { type CompleteWord, completeRun, completeScript, parseComplete } from '../scripts/complete.ts';
import { type FailWord, failScript, parseFail } from '../scripts/fail.ts';
import { fanOutScript, parseFanOut } from '../scripts/fan_out.ts';
import { parseRelease, type ReleaseWord, releaseScript } from '../scripts/release.ts';
import { encodeResult } from './encode-result.ts';
import type { Done, FanOut } from './handler.ts';
import { MicroBatcher } from './micro-batcher.ts';
import type { Run } from './run.ts';

const BATCH = 100;
const CHILDREN_PER_CALL = 250;

interface Completion {
  readonly run: Run;
  readonly resultMs: number;
  readonly counters: string;
  readonly result: string;
}

interface FailedRun {
  readonly run: Run;
  readonly failure: Failure;
}

const COUNTER_NAME = /^[\w:.-]{1,64}$/;
/** So that the totals of a million such tasks still fit Redis's integers. */
const COUNTER_MOST = 1e12;
const LONGEST_RESULT_MS = 10 * 365 * 86_400_000;

/**
 * Milliseconds that Redis takes for an expiry. A child's result must outlive the siblings that
 * its parent still waits for, so it stays as long as the parent is remembered (DESIGN P11; `shortenResults` ends it sooner).
 */
function resultLife(run: Run, done: Done): number {
  const { resultMs, retentionMs } = run.queue.settings;
  const usual = isChildId(run.id) ? Math.max(resultMs, retentionMs) : resultMs;
  return Math.min(LONGEST_RESULT_MS, done.resultMs ?? run.message.header.result_ms ?? usual);
}

/** Throws `payload_invalid` for what Redis could not add up: it would be refused when the neighbours' results are half written. */
function countersText(counters: Done['counters']): string {
  let text = '';
  for (const field in counters) {
    const count: unknown = counters[field] ?? 0;
    if (!COUNTER_NAME.test(field) || !isCount(count))
      throw new GalleyError(
        'payload_invalid',
        `the handler counts "${field}" ${String(count)}: a counter is named by up to 64 letters, digits, "_", "-", ":" and "." and counts in whole numbers from 0 to ${COUNTER_MOST}`,
      );
    text += `${text === '' ? '' : ','}${field}=${count}`;
  }
  return text;
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= COUNTER_MOST;
}

/** Handlers need not be typed. */
function isFamily(children: unknown): boolean {
  return Array.isArray(children) && children.every(isChildTask);
}

function isChildTask(child: unknown): boolean {
  return typeof child === 'object' && child !== null && 'type' in child && typeof child.type === 'string';
}

/** Tells Redis how runs ended. Each verb may be repeated after a lost reply: it answers the same. */
export class Reporter {
  private readonly connection: Connection;
  private readonly worker: string;
  private readonly random: Random;
  private readonly completions: MicroBatcher<Completion, CompleteWord>;
  private readonly failures: MicroBatcher<FailedRun, FailWord>;
  private readonly releases: MicroBatcher<Run, ReleaseWord>;

  constructor(options: { connection: Connection; worker: string; random: Random }) {
    this.connection = options.connection;
    this.worker = options.worker;
    this.random = options.random;
    const shardOf = (run: Run): string => run.shard.keys.base;
    this.completions = new MicroBatcher(
      BATCH,
      ({ run }) => shardOf(run),
      (entries) => this.completeBatch(entries),
    );
    this.failures = new MicroBatcher(
      BATCH,
      ({ run }) => shardOf(run),
      (entries) => this.failBatch(entries),
    );
    this.releases = new MicroBatcher(BATCH, shardOf, (runs) => this.releaseBatch(runs));
  }

  /** Throws `payload_invalid` or `payload_too_large` for a result that cannot be stored, `invalid_request` for a life that is none. */
  complete(run: Run, done: Done): Promise<CompleteWord> {
    if (done.resultMs !== undefined) checkNumbers({ resultMs: done.resultMs });
    const result = encodeResult(done);
    return this.completions.add({ run, resultMs: resultLife(run, done), counters: countersText(done.counters), result });
  }

  private async completeBatch(entries: readonly Completion[]): Promise<CompleteWord[]> {
    const [first] = entries;
    if (first === undefined) return [];
    const { shard, queue } = first.run;
    const rows = entries.map(({ run, resultMs, counters, result }) => ({
      id: run.id,
      run: completeRun(run.fence, resultMs, counters),
      result,
    }));
    const lockKeys = queue.layout.lockKeys ? 1 : 0;
    const values = { sequence_at: shard.sequenceAt, worker: this.worker, lock_keys: lockKeys, timeline_ms: timelineMs(queue.settings) };
    return parseComplete(await this.connection.run(completeScript, shard.keys, values, rows), rows.length).words;
  }

  fail(run: Run, failure: Failure): Promise<FailWord> {
    return this.failures.add({ run, failure });
  }

  private async failBatch(entries: readonly FailedRun[]): Promise<FailWord[]> {
    const [first] = entries;
    if (first === undefined) return [];
    const { shard, queue } = first.run;
    const rows = entries.map(({ run, failure }) => {
      const { class: kind, code, message, stack } = failure;
      return {
        id: run.id,
        fence: run.fence,
        class: kind,
        code,
        delay_ms: backoffMs(failure, run.row.record.attempts, this.random),
        error: JSON.stringify({ code, message, ...(stack === undefined ? {} : { stack }) }),
      };
    });
    const values = {
      sequence_at: shard.sequenceAt,
      worker: this.worker,
      deferred_limit_ms: queue.settings.deferredLimitMs,
      timeline_ms: timelineMs(queue.settings),
    };
    return parseFail(await this.connection.run(failScript, shard.keys, values, rows)).words;
  }

  release(run: Run): Promise<ReleaseWord> {
    return this.releases.add(run);
  }

  private async releaseBatch(runs: readonly Run[]): Promise<ReleaseWord[]> {
    const [first] = runs;
    if (first === undefined) return [];
    const { shard, queue } = first;
    const values = { sequence_at: shard.sequenceAt, worker: this.worker, timeline_ms: timelineMs(queue.settings) };
    const rows = runs.map(({ id, fence }) => ({ id, fence }));
    return parseRelease(await this.connection.run(releaseScript, shard.keys, values, rows)).words;
  }

  /** Submits the children in bounded steps; the last closes the run and the task waits. */
  async fanOut(run: Run, outcome: FanOut): Promise<'fanned_out' | 'lease_lost' | 'missing'> {
    const { children } = outcome;
    if (!isFamily(children))
      throw new GalleyError('payload_invalid', 'a task fanned out into something else than a list of { type, payload }');
    if (children.length === 0) throw new GalleyError('payload_invalid', 'a task fanned out into no children');
    if (parseTaskId(run.id)?.parentId !== null)
      throw new GalleyError('payload_invalid', 'a child task fanned out; only tasks of their own can');
    // All are encoded before the first is sent, so that one bad child leaves no half a family behind.
    for (const { timeoutMs } of children) checkNumbers({ timeoutMs });
    const rows = children.map((child, index) => ({
      number: index + 1,
      header: encodeHeader({
        type: child.type,
        ...(child.timeoutMs === undefined ? {} : { timeout_ms: child.timeoutMs }),
        ...(run.traceparent === null ? {} : { trace: run.traceparent }),
      }),
      payload: encodePayload(child.payload),
    }));
    const { shard, queue } = run;
    for (let from = 0; from < children.length; from += CHILDREN_PER_CALL) {
      const reply = parseFanOut(
        await this.connection.run(
          fanOutScript,
          shard.keys,
          {
            sequence_at: shard.sequenceAt,
            id: run.id,
            worker: this.worker,
            fence: run.fence,
            total: children.length,
            last: from + CHILDREN_PER_CALL >= children.length ? 1 : 0,
            strict: outcome.strict ? 1 : 0,
            max_retries: run.row.record.maxRetries,
            crash_budget: queue.settings.crashBudget,
            timeline_ms: timelineMs(queue.settings),
          },
          rows.slice(from, from + CHILDREN_PER_CALL),
        ),
      );
      if (reply.word === 'children_ended')
        throw new GalleyError(
          'payload_invalid',
          'a task fanned out again after its children had ended: look at `children` and return a result',
        );
      if (reply.word !== 'fanned_out') return reply.word;
    }
    return 'fanned_out';
  }
}
