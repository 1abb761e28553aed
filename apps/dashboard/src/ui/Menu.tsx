import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from './Kbd.tsx';
import './menu.css';

export interface MenuItem {
  readonly id: string;
  readonly label: ReactNode;
  readonly icon?: ReactNode;
  /** At the right end: a count, or a word more. */
  readonly hint?: ReactNode;
  readonly keys?: string;
  readonly danger?: boolean;
  /** Why it cannot be chosen now; shown under its label. */
  readonly blocked?: string | undefined;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  label: string;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom' | 'right';
}

/** A menu under its button: arrows move, Enter chooses, Esc closes. */
export function Menu({ trigger, label, children, align = 'start', side = 'bottom' }: MenuProps): ReactNode {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" aria-label={label} align={align} side={side} sideOffset={4} collisionPadding={8} loop>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuActions({ items }: { items: readonly MenuItem[] }): ReactNode {
  return items.map((item) => (
    <Radix.Item
      key={item.id}
      className={item.danger === true ? 'menu-item menu-item--danger' : 'menu-item'}
      disabled={item.blocked !== undefined}
      onSelect={item.onSelect}
    >
      {item.icon}
      <span className="menu-label">
        {item.label}
        {item.blocked !== undefined && <span className="menu-reason">{item.blocked}</span>}
      </span>
      {item.hint !== undefined && <span className="menu-hint">{item.hint}</span>}
      {item.keys !== undefined && <Kbd>{item.keys}</Kbd>}
    </Radix.Item>
  ));
}

export interface MenuChoice<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly icon?: ReactNode;
  readonly hint?: ReactNode;
}

/** One of several. */
export function MenuChoices<Value extends string>({
  value,
  choices,
  onChoose,
}: {
  value: Value;
  choices: readonly MenuChoice<Value>[];
  onChoose: (value: Value) => void;
}): ReactNode {
  return (
    <Radix.RadioGroup value={value}>
      {choices.map((choice) => (
        <Radix.RadioItem key={choice.value} className="menu-item" value={choice.value} onSelect={() => onChoose(choice.value)}>
          <span className="menu-tick">
            <Radix.ItemIndicator>
              <Check size={14} strokeWidth={2} aria-hidden="true" />
            </Radix.ItemIndicator>
          </span>
          {choice.icon}
          <span className="menu-label">{choice.label}</span>
          {choice.hint !== undefined && <span className="menu-hint">{choice.hint}</span>}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

/** Any of several; the menu stays open. */
export function MenuChecks<Value extends string>({
  values,
  choices,
  onToggle,
}: {
  values: ReadonlySet<Value>;
  choices: readonly MenuChoice<Value>[];
  onToggle: (value: Value) => void;
}): ReactNode {
  return choices.map((choice) => (
    <Radix.CheckboxItem
      key={choice.value}
      className="menu-item"
      checked={values.has(choice.value)}
      onSelect={(event) => {
        event.preventDefault();
        onToggle(choice.value);
      }}
    >
      <span className="checkbox" data-checked={values.has(choice.value) || undefined}>
        <Check size={12} strokeWidth={2.5} aria-hidden="true" />
      </span>
      {choice.icon}
      <span className="menu-label">{choice.label}</span>
      {choice.hint !== undefined && <span className="menu-hint">{choice.hint}</span>}
    </Radix.CheckboxItem>
  ));
}

export function MenuHead({ children }: { children: ReactNode }): ReactNode {
  return <Radix.Label className="menu-head">{children}</Radix.Label>;
}

export function MenuRule(): ReactNode {
  return <Radix.Separator className="menu-rule" />;
}
