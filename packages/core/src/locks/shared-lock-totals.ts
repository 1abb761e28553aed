import type { Connection } from '../redis/connection.ts';
import { lockTotalsKey } from '../redis/keys.ts';
import { type DurationHistogram, readHistogram } from '../rules/histogram.ts';
import { LOCK_REFUSALS, type LockMeter, type LockTotals } from './lock-meter.ts';

/** The counts of a meter by the fields of the hash, such as `acquired`, `refused:busy` and `wait:4`. */
function fieldsOf({ acquired, contended, released, lost, refused, waitMs, holdMs }: LockTotals): Map<string, number> {
  const fields = new Map(Object.entries({ acquired, contended, released, lost }));
  for (const reason of LOCK_REFUSALS) fields.set(`refused:${reason}`, refused[reason]);
  const add = (prefix: string, histogram: DurationHistogram): void => {
    for (const [bucket, count] of histogram) fields.set(`${prefix}:${bucket}`, count);
  };
  add('wait', waitMs);
  add('hold', holdMs);
  return fields;
}

/**
 * Adds what the meters of many processes count in one place, where it outlives them: a worker listens on no port, and counters that end
 * with a process would fall. Should an answer be lost, what was added then may count twice.
 */
export class SharedLockTotals {
  readonly #connection: Connection;
  readonly #meter: LockMeter;
  #told = new Map<string, number>();

  constructor(connection: Connection, meter: LockMeter) {
    this.#connection = connection;
    this.#meter = meter;
  }

  /** Adds what was counted since the last time. */
  async flush(): Promise<void> {
    const fields = fieldsOf(this.#meter.totals());
    const risen = [...fields].filter(([field, count]) => count > (this.#told.get(field) ?? 0));
    await Promise.all(
      risen.map(([field, count]) => this.#connection.client.hincrby(lockTotalsKey, field, count - (this.#told.get(field) ?? 0))),
    );
    this.#told = fields;
  }
}

/** What all processes of Galley have counted of their own locks since Redis was set up. */
export async function readLockTotals({ client }: Connection): Promise<LockTotals> {
  const raw = await client.hgetall(lockTotalsKey);
  const fields = Object.fromEntries(Object.entries(raw).map(([field, count]) => [field, Number(count)]));
  const of = (field: string): number => fields[field] ?? 0;
  return {
    acquired: of('acquired'),
    contended: of('contended'),
    released: of('released'),
    lost: of('lost'),
    refused: {
      busy: of('refused:busy'),
      timeout: of('refused:timeout'),
      aborted: of('refused:aborted'),
      unreachable: of('refused:unreachable'),
    },
    waitMs: readHistogram(fields, 'wait:'),
    holdMs: readHistogram(fields, 'hold:'),
  };
}
