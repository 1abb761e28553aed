import { parseArgs } from 'node:util';
import { SETTING } from './run/setting.ts';
import { isSabotage, SABOTAGES, type SabotageName } from './sabotage/sabotages.ts';
import { FAULT_KINDS } from './schedule/plan-faults.ts';
import type { ScheduleOptions } from './schedule/schedule.ts';
import { WORK_TYPES } from './work/work.ts';

export interface Options {
  readonly schedule: ScheduleOptions;
  readonly sabotage: SabotageName | null;
  readonly timelines: boolean;
  readonly keep: boolean;
  /** A file to write the report to, in Markdown; null for none. */
  readonly report: string | null;
}

const LONGEST_S = 3_600;
const SHORT_S = 25;
const LONG_S = 600;

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not "${text}"`);
}

/** A list by commas; empty where the option is not given. */
function namesOf<Name extends string>(option: string, list: string | undefined, known: readonly Name[]): Name[] {
  return (list?.split(',') ?? []).map((text) => {
    const name = known.find((candidate) => candidate === text);
    if (name === undefined) throw new Error(`--${option} knows ${known.join(', ')}, not "${text}"`);
    return name;
  });
}

function sabotageOf(name: string | undefined): SabotageName | null {
  if (name === undefined) return null;
  if (isSabotage(name)) return name;
  throw new Error(`--sabotage knows ${Object.keys(SABOTAGES).join(', ')}, not "${name}"`);
}

/** `freshSeed`: taken where none is given. Throws with a sentence where an option is unknown or bad. */
export function readOptions(argv: readonly string[], freshSeed: number): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string' },
      seconds: { type: 'string' },
      long: { type: 'boolean', default: false },
      workers: { type: 'string', default: '3' },
      producers: { type: 'string', default: '2' },
      rate: { type: 'string', default: '12' },
      gap: { type: 'string', default: '1000' },
      faults: { type: 'string' },
      work: { type: 'string' },
      sabotage: { type: 'string' },
      'no-timelines': { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      report: { type: 'string' },
    },
  });
  const seconds = wholeNumber('seconds', values.seconds ?? String(values.long ? LONG_S : SHORT_S), 1, LONGEST_S);
  return {
    schedule: {
      seed: values.seed === undefined ? freshSeed : wholeNumber('seed', values.seed, 0, 2 ** 32 - 1),
      durationMs: seconds * 1_000,
      workers: wholeNumber('workers', values.workers, 1, 32),
      producers: wholeNumber('producers', values.producers, 1, 32),
      tasksPerSecond: wholeNumber('rate', values.rate, 1, 1_000),
      leaseMs: SETTING.leaseMs,
      faultGapMs: wholeNumber('gap', values.gap, 100, 60_000),
      faultKinds: namesOf('faults', values.faults, FAULT_KINDS),
      workTypes: namesOf('work', values.work, WORK_TYPES),
    },
    sabotage: sabotageOf(values.sabotage),
    timelines: !values['no-timelines'],
    keep: values.keep,
    report: values.report ?? null,
  };
}
