import type { ReactNode } from 'react';

export interface ExplainedValue {
  readonly name: string;
  readonly value: string;
}

/** The inside of a tooltip: the time, then the values in the legend's order. */
export function Explained({ time, values }: { time: string; values: readonly ExplainedValue[] }): ReactNode {
  return (
    <>
      <p>{time}</p>
      {values.length > 0 && (
        <dl>
          {values.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
