import type { DropdownMenu as Radix } from 'radix-ui';
import { createContext, type HTMLAttributes, type ReactElement, type ReactNode } from 'react';

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<HTMLAttributes<HTMLElement>>;
  label: string;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom' | 'right';
}

export type MenuParts = Pick<typeof Radix, 'Item' | 'RadioGroup' | 'RadioItem' | 'ItemIndicator' | 'CheckboxItem' | 'Label' | 'Separator'>;

/** The parts come with the frame, so that a page without an open menu does not load them. */
export const MenuPartsContext = createContext<MenuParts | null>(null);
