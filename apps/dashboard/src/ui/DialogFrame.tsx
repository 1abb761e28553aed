import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './Button.tsx';
import type { DialogProps } from './dialogProps.ts';
import { useFocusReturn } from './useFocusReturn.ts';
import { useScrollLock } from './useScrollLock.ts';

/** What of a dialog needs Radix: focus kept in and given back, Esc, the scrim. A chunk of its own, loaded before it is first needed. */
export default function DialogFrame({ onClose, title, description, children, actions, closeLabel, width = 480 }: DialogProps): ReactNode {
  useScrollLock();
  const giveBack = useFocusReturn();
  return (
    <Radix.Root open onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <div className="scrim" />
        <Radix.Content
          className="dialog"
          style={{ maxWidth: width }}
          onCloseAutoFocus={giveBack}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <Radix.Title className="type-dialog">{title}</Radix.Title>
          {description !== undefined && (
            <Radix.Description className="dialog-description" asChild>
              <div>{description}</div>
            </Radix.Description>
          )}
          {children}
          {closeLabel !== undefined && (
            <IconButton className="dialog-close" size="small" label={closeLabel} icon={<X />} onClick={onClose} />
          )}
          {actions !== undefined && <div className="dialog-actions">{actions}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
