import { z } from 'zod';
import { WORK_TYPES, type WorkType, workSchema } from '../work/work.ts';
import type { SeededRandom } from './random.ts';

/** What a producer does; `at` in milliseconds from the start of the run, `label` names one of its own submits. */
export const actionSchema = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('submit'),
    at: z.number(),
    label: z.string(),
    type: z.enum(WORK_TYPES),
    priority: z.number().int(),
    delayMs: z.number().int(),
    timeoutMs: z.number().int().nullable(),
    /** Two submits of one identity are the same work while the first lives. */
    identity: z.string().nullable(),
    work: workSchema,
  }),
  z.object({ do: z.literal('cancel'), at: z.number(), label: z.string() }),
  z.object({ do: z.literal('revive'), at: z.number(), label: z.string() }),
  z.object({ do: z.literal('reprioritize'), at: z.number(), label: z.string(), priority: z.number().int() }),
]);
export type Action = z.infer<typeof actionSchema>;

/** How often each type is drawn, against the others. */
const SHARES: Readonly<Record<WorkType, number>> = {
  quick: 40,
  slow: 18,
  exclusive: 6,
  block: 4,
  deaf: 2,
  transient: 9,
  deferred: 5,
  permanent: 5,
  'thread-death': 3,
  killer: 1,
  parent: 4,
};

const PRIORITIES = [1, 5, 10, 50, 100, 100, 100, 500, 1_000];
const CHILD_TYPES = ['quick', 'quick', 'quick', 'slow', 'transient', 'permanent'] as const;
/** Cancelled more often, so that many cancels meet a run. */
const LONG_RUNNING = new Set<WorkType>(['slow', 'block', 'deaf']);
/** What a handler gets that ignores its signal. */
const DEAF_TIMEOUT_MS = 2_000;
const BURST_TASKS = 25;
/** Share of submits that are part of a burst. */
const BURST_SHARE = 0.3;
/** A misbehaving task of this bound never gets better. */
const ALWAYS = 1_000;

export interface WorkPlanOptions {
  readonly durationMs: number;
  readonly producer: number;
  readonly tasksPerSecond: number;
  readonly leaseMs: number;
  /** The types that are dealt; all where none is named. */
  readonly workTypes: readonly WorkType[];
}

/** Submits, some in bursts so that lines form, and what is done to them later. */
export function planWork(random: SeededRandom, options: WorkPlanOptions): Action[] {
  const actions: Action[] = [];
  const types = options.workTypes.length === 0 ? WORK_TYPES : options.workTypes;
  const total = Math.round((options.durationMs / 1_000) * options.tasksPerSecond);
  for (let number = 0; number < total; ) {
    const at = random.whole(0, options.durationMs);
    const together = random.chance(BURST_SHARE / BURST_TASKS) ? BURST_TASKS : 1;
    for (let task = 0; task < together && number < total; task++, number++) {
      actions.push(...planTask(random, at, `p${options.producer + 1}-${number}`, types, options.leaseMs));
    }
  }
  return actions.sort((a, b) => a.at - b.at);
}

function planTask(random: SeededRandom, at: number, label: string, types: readonly WorkType[], leaseMs: number): Action[] {
  const type = drawType(random, types);
  const submit: Action = {
    do: 'submit',
    at,
    label,
    type,
    priority: random.pick(PRIORITIES),
    delayMs: random.chance(0.08) ? random.whole(100, 3_000) : 0,
    timeoutMs: type === 'deaf' ? DEAF_TIMEOUT_MS : null,
    identity: random.chance(0.05) ? `same-${random.whole(1, 5)}` : null,
    work: { label, ms: workMs(random, type, leaseMs), untilFence: untilFence(random, type), ...family(random, type) },
  };
  const later = (least: number, most: number): number => at + random.whole(least, most);
  const actions: Action[] = [submit];
  if (random.chance(0.06)) actions.push({ do: 'reprioritize', at: later(0, 1_500), label, priority: random.pick(PRIORITIES) });
  // At once, while it waits, while it runs, and when it has long ended.
  if (random.chance(LONG_RUNNING.has(type) ? 0.3 : 0.08))
    actions.push({ do: 'cancel', at: later(0, random.pick([5, 300, 2_000, 6_000])), label });
  if (type === 'permanent' && random.chance(0.7)) actions.push({ do: 'revive', at: later(500, 5_000), label });
  return actions;
}

function drawType(random: SeededRandom, types: readonly WorkType[]): WorkType {
  let left = random.whole(
    1,
    types.reduce((sum, type) => sum + SHARES[type], 0),
  );
  return types.find((type) => (left -= SHARES[type]) <= 0) ?? 'quick';
}

function workMs(random: SeededRandom, type: WorkType, leaseMs: number): number {
  switch (type) {
    case 'slow':
    case 'exclusive':
      return random.whole(100, 1_500);
    case 'block':
      // Some well past the lease: where a thread is held it is kept all the same, where the whole process is it is lost.
      return random.chance(0.3) ? leaseMs * 3 : random.whole(50, leaseMs / 3);
    default:
      return random.whole(0, 20);
  }
}

function untilFence(random: SeededRandom, type: WorkType): number {
  switch (type) {
    case 'killer':
      return random.pick([1, 1, 1, 1, 2, ALWAYS]);
    case 'thread-death':
      return random.pick([1, 1, 2, ALWAYS]);
    case 'transient':
      return random.pick([1, 2, 3, ALWAYS]);
    case 'permanent':
      return random.pick([1, 2, ALWAYS]);
    default:
      return 1;
  }
}

function family(random: SeededRandom, type: WorkType): { children: WorkType[]; strict: boolean } {
  if (type !== 'parent') return { children: [], strict: false };
  return { children: Array.from({ length: random.whole(1, 8) }, () => random.pick(CHILD_TYPES)), strict: random.chance(0.3) };
}
