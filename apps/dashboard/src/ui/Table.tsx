import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';
import './table.css';

export interface TableProps extends ComponentProps<'table'> {
  /** Its name for a screen reader. */
  label: string;
  /** Reaches 12 px past the column on both sides, so that hover and selection have air while text keeps the grid. */
  bleed?: boolean;
}

/** Rows divided by hair lines. Rows with `className="is-selected"` stand on the wash. */
export function Table({ label, bleed = false, className, ...rest }: TableProps): ReactNode {
  return <table {...rest} aria-label={label} className={cx('table', bleed && 'table--bleed', className)} />;
}

export interface CellProps extends ComponentProps<'td'> {
  /** Numbers stand right, names left. */
  number?: boolean;
}

export function Cell({ number = false, className, ...rest }: CellProps): ReactNode {
  return <td {...rest} className={cx(number && 'is-number', className)} />;
}

export function HeadCell({ number = false, className, ...rest }: CellProps): ReactNode {
  return <th scope="col" {...rest} className={cx(number && 'is-number', className)} />;
}

export interface Fact {
  readonly id: string;
  readonly label: ReactNode;
  readonly value: ReactNode;
}

/** Facts with their names: label column 112, hair lines. */
export function Facts({ facts, label }: { facts: readonly Fact[]; label?: string }): ReactNode {
  return (
    <dl className="facts type-control" aria-label={label}>
      {facts.map((fact) => (
        <div key={fact.id}>
          <dt>{fact.label}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}
