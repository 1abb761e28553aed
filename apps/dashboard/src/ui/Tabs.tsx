import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import './tabs.css';
import { cx } from './cx.ts';

export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** After the label, softer: a count. */
  readonly hint?: ReactNode;
}

export interface TabsProps<Value extends string> {
  label: string;
  value: Value;
  tabs: readonly Tab<Value>[];
  onChoose: (value: Value) => void;
  /** The id of the panel they switch; give the panel `role="tabpanel"` and this id. */
  panel: string;
  className?: string;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Views of one thing, one at a time. Arrows move between them. */
export function Tabs<Value extends string>({ label, value, tabs, onChoose, panel, className }: TabsProps<Value>): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (tabs.findIndex((tab) => tab.value === value) + step + tabs.length) % tabs.length;
    const chosen = tabs[next];
    if (chosen === undefined) return;
    onChoose(chosen.value);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div ref={list} className={cx('tabs', className)} role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          className="tab"
          aria-selected={tab.value === value}
          aria-controls={panel}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChoose(tab.value)}
          onKeyDown={onKeyDown}
        >
          {tab.label}
          {tab.hint !== undefined && <span className="tab-hint type-meta">{tab.hint}</span>}
        </button>
      ))}
    </div>
  );
}
