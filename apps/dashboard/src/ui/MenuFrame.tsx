import { DropdownMenu as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { MenuPartsContext, type MenuProps } from './menuParts.ts';

/** What of a menu needs Radix: place, arrows, typing ahead. A chunk of its own, loaded before it is first needed. */
export default function MenuFrame({ trigger, label, children, align = 'start', side = 'bottom' }: MenuProps): ReactNode {
  // It is mounted by the press that opens it.
  const [open, setOpen] = useState(true);
  // Inside the landmark of its button: nothing of the page stands outside one. A press of the pointer has not given it the focus yet.
  const [button, setButton] = useState<HTMLElement | null>(null);
  return (
    <MenuPartsContext value={Radix}>
      <Radix.Root modal={false} open={open} onOpenChange={setOpen}>
        <Radix.Trigger asChild ref={setButton}>
          {trigger}
        </Radix.Trigger>
        {button !== null && (
          <Radix.Portal container={button.closest<HTMLElement>('main, aside, nav') ?? document.body}>
            <Radix.Content className="menu" aria-label={label} align={align} side={side} sideOffset={4} collisionPadding={8} loop>
              {children}
            </Radix.Content>
          </Radix.Portal>
        )}
      </Radix.Root>
    </MenuPartsContext>
  );
}
