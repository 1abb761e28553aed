import { GalleyError, type TaskState } from '@galley/contract';
import type { MessageHeader } from '../rules/message.ts';

export interface SubmitOptions {
  /** 1 runs first, 1000 last; default 100. */
  readonly priority?: number;
  /** Milliseconds until it may run. */
  readonly delayMs?: number;
  /**
   * While a task of the same identity is live or its result held, submit answers with that task. The type and the concurrency key are
   * part of it: under another of either it is other work.
   */
  readonly identity?: readonly string[];
  readonly maxRetries?: number;
  readonly crashBudget?: number;
  readonly timeoutMs?: number;
  readonly resultMs?: number;
  /** Tasks of one key run at most `concurrencyLimit` (default 1) at once, and keep to its `rateLimit`. At most 512 bytes. */
  readonly concurrencyKey?: string;
  readonly concurrencyLimit?: number;
  /** At most `count` starts of the key's tasks in any span of `perMs`. What it holds back returns to the line when the next start is allowed. */
  readonly rateLimit?: { readonly count: number; readonly perMs: number };
  /** Whose turn it takes under fair order; without it the tag `user` says, and the tasks of nobody share one turn. At most 512 bytes. */
  readonly fairUser?: string;
  /** Indexed values by kind, at most 8, of at most 512 bytes each. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface Submitted {
  readonly id: string;
  readonly state: TaskState;
  readonly priority: number;
  readonly duplicate: boolean;
  /** Milliseconds since the epoch, Redis's clock. */
  readonly createdAt: number;
}

/** What never changes about the task, from what its submitter says. */
export function headerOf(type: string, identity: string | undefined, options: SubmitOptions): MessageHeader {
  return {
    type,
    ...(identity === undefined ? {} : { identity }),
    ...(options.tags === undefined ? {} : { tags: options.tags }),
    ...(options.timeoutMs === undefined ? {} : { timeout_ms: options.timeoutMs }),
    ...(options.resultMs === undefined ? {} : { result_ms: options.resultMs }),
    ...(options.fairUser === undefined || options.fairUser === options.tags?.['user'] ? {} : { fair_user: options.fairUser }),
    ...gateOf(options),
  };
}

const GATE_MOST = 86_400_000;

/** The gate that a concurrency key puts before a task; a rate alone does not limit how many run at once. */
function gateOf({ concurrencyKey, concurrencyLimit, rateLimit }: SubmitOptions): Pick<MessageHeader, 'gate'> {
  if (concurrencyKey === undefined) {
    if (concurrencyLimit !== undefined || rateLimit !== undefined)
      throw new GalleyError('invalid_request', 'a concurrency limit or rate limit needs a concurrencyKey');
    return {};
  }
  // Callers without types too: a gate that a script cannot read would hold up the whole shard.
  if (typeof concurrencyKey !== 'string' || concurrencyKey === '')
    throw new GalleyError('invalid_request', `a concurrencyKey is a text that is not empty, not ${JSON.stringify(concurrencyKey)}`);
  const limit = concurrencyLimit ?? (rateLimit === undefined ? 1 : undefined);
  for (const [name, value] of Object.entries({
    ...(limit === undefined ? {} : { concurrencyLimit: limit }),
    ...(rateLimit === undefined ? {} : { 'rateLimit.count': rateLimit.count, 'rateLimit.perMs': rateLimit.perMs }),
  })) {
    if (!Number.isInteger(value) || value < 1 || value > GATE_MOST)
      throw new GalleyError('invalid_request', `${name} must be an integer from 1 to ${GATE_MOST}, not ${value}`);
  }
  return {
    gate: {
      key: concurrencyKey,
      ...(limit === undefined ? {} : { limit }),
      ...(rateLimit === undefined ? {} : { rate: rateLimit.count, rate_ms: rateLimit.perMs }),
    },
  };
}
