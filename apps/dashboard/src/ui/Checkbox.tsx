import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import './checkbox.css';

export interface CheckboxProps {
  /** `some`: a part of what it stands for. */
  checked: boolean | 'some';
  onChange: (checked: boolean, event: { readonly shiftKey: boolean }) => void;
  label: string;
  /** The label is drawn beside it. */
  labelled?: boolean;
}

/** A box to tick; its target is 24 px wide. Shift with a click is handed on, for ranges. */
export function Checkbox({ checked, onChange, label, labelled = false }: CheckboxProps): ReactNode {
  return (
    <label className="check">
      <input
        type="checkbox"
        className="check-input"
        aria-label={labelled ? undefined : label}
        checked={checked === true}
        ref={(input) => {
          if (input !== null) input.indeterminate = checked === 'some';
        }}
        onChange={(event) => {
          const { nativeEvent } = event;
          onChange(event.target.checked, { shiftKey: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey });
        }}
      />
      <span className="checkbox" data-checked={checked !== false || undefined} aria-hidden="true">
        {checked === 'some' ? <Minus size={12} strokeWidth={2.5} /> : <Check size={12} strokeWidth={2.5} />}
      </span>
      {labelled && <span className="type-control">{label}</span>}
    </label>
  );
}
