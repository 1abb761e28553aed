import { Check } from 'lucide-react';
import { cloneElement, lazy, type ReactNode, Suspense, useContext, useState } from 'react';
import { patiently } from '../loading/patiently.ts';
import { Kbd } from './Kbd.tsx';
import './menu.css';
import { type MenuParts, MenuPartsContext, type MenuProps } from './menuParts.ts';

const MenuFrame = lazy(patiently(() => import('./MenuFrame.tsx')));

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

function useMenuParts(): MenuParts {
  const parts = useContext(MenuPartsContext);
  if (parts === null) throw new Error('a part of a menu stands outside a Menu');
  return parts;
}

const OPENING_KEYS = ['Enter', ' ', 'ArrowDown'];

/** A menu under its button: arrows move, Enter chooses, Esc closes. */
export function Menu(props: MenuProps): ReactNode {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setWanted(true),
    onKeyDown: (event) => {
      if (!OPENING_KEYS.includes(event.key)) return;
      event.preventDefault();
      setWanted(true);
    },
  });
  if (!wanted) return closed;
  return (
    <Suspense fallback={closed}>
      <MenuFrame {...props} />
    </Suspense>
  );
}

export function MenuActions({ items }: { items: readonly MenuItem[] }): ReactNode {
  const Parts = useMenuParts();
  return items.map((item) => (
    <Parts.Item
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
    </Parts.Item>
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
  const Parts = useMenuParts();
  return (
    <Parts.RadioGroup value={value}>
      {choices.map((choice) => (
        <Parts.RadioItem key={choice.value} className="menu-item" value={choice.value} onSelect={() => onChoose(choice.value)}>
          <span className="menu-tick">
            <Parts.ItemIndicator>
              <Check size={14} strokeWidth={2} aria-hidden="true" />
            </Parts.ItemIndicator>
          </span>
          {choice.icon}
          <span className="menu-label">{choice.label}</span>
          {choice.hint !== undefined && <span className="menu-hint">{choice.hint}</span>}
        </Parts.RadioItem>
      ))}
    </Parts.RadioGroup>
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
  const Parts = useMenuParts();
  return choices.map((choice) => (
    <Parts.CheckboxItem
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
    </Parts.CheckboxItem>
  ));
}

export function MenuHead({ children }: { children: ReactNode }): ReactNode {
  const Parts = useMenuParts();
  return <Parts.Label className="menu-head">{children}</Parts.Label>;
}

export function MenuRule(): ReactNode {
  const Parts = useMenuParts();
  return <Parts.Separator className="menu-rule" />;
}
