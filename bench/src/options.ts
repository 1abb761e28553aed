import { parseArgs } from 'node:util';

/** What the table of floors is made of. */
const FLOOR_MEASURES = ['drain', 'enqueue', 'latency', 'memory', 'depth', 'overtaking', 'idle'] as const;
/** The rest is run when it is named, and only shown. */
export const MEASURE_NAMES = [...FLOOR_MEASURES, 'operations'] as const;
export type MeasureName = (typeof MEASURE_NAMES)[number];

export interface Options {
  readonly only: readonly MeasureName[];
  readonly rounds: number;
  /** A fifth of the tasks, a tenth of the backlog: for looking, not for publishing. */
  readonly quick: boolean;
  /** Worker processes of each system. */
  readonly processes: number;
  /** Where the results go; null: only to the terminal. */
  readonly write: boolean;
}

function isMeasure(name: string): name is MeasureName {
  return MEASURE_NAMES.some((known) => known === name);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 100)
    throw new Error(`--${name} must be a whole number from 1 to 100, not "${text}"`);
  return value;
}

/** Throws with a sentence where an option is unknown or bad. */
export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      processes: { type: 'string', default: '2' },
      quick: { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
    },
  });
  const names = (values.only ?? []).flatMap((text) => text.split(','));
  const only = names.map((name) => {
    if (!isMeasure(name)) throw new Error(`--only knows ${MEASURE_NAMES.join(', ')}, not "${name}"`);
    return name;
  });
  return {
    only: only.length === 0 ? FLOOR_MEASURES : only,
    rounds: wholeNumber('rounds', values.rounds ?? (values.quick ? '3' : '5')),
    processes: wholeNumber('processes', values.processes),
    quick: values.quick,
    write: !values['no-write'] && !only.includes('operations'),
  };
}
