import type { WorkType } from '../work/work.ts';
import { type Fault, type FaultKind, planFaults } from './plan-faults.ts';
import { type Action, planWork } from './plan-work.ts';
import { SeededRandom } from './random.ts';

export interface ScheduleOptions {
  readonly seed: number;
  /** Milliseconds during which work comes and faults are injected. */
  readonly durationMs: number;
  readonly workers: number;
  readonly producers: number;
  /** Tasks submitted per second by all producers together, on average. */
  readonly tasksPerSecond: number;
  readonly leaseMs: number;
  /** Milliseconds between two faults, on average. */
  readonly faultGapMs: number;
  /** The kinds of faults and the types of work that are dealt; all where none is named. */
  readonly faultKinds: readonly FaultKind[];
  readonly workTypes: readonly WorkType[];
}

/** Everything that will be done to the system, all times in milliseconds from the start of the run. */
export interface Schedule extends ScheduleOptions {
  /** One list per producer, by time. */
  readonly actions: readonly (readonly Action[])[];
  /** By time. */
  readonly faults: readonly Fault[];
}

/** The schedule of a seed: the same options give the same schedule. */
export function planSchedule(options: ScheduleOptions): Schedule {
  const random = new SeededRandom(options.seed);
  return {
    ...options,
    actions: Array.from({ length: options.producers }, (_, producer) =>
      planWork(random.fork(`producer ${producer}`), { ...options, producer, tasksPerSecond: options.tasksPerSecond / options.producers }),
    ),
    faults: planFaults(random.fork('faults'), options),
  };
}
