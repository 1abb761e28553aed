import type { ReactNode } from 'react';
import './segments.css';

/** One of a few, side by side, as a group of radio buttons. */
export function Segments<Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: {
  label: string;
  value: Value;
  choices: readonly { readonly value: Value; readonly label: string }[];
  onChoose: (value: Value) => void;
}): ReactNode {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className="segment type-control">
          <input type="radio" name={label} checked={choice.value === value} onChange={() => onChoose(choice.value)} />
          <span>{choice.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
