import type { ReactNode } from 'react';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What is said under the title. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the safe one first. */
  actions?: ReactNode;
  /** A × at the top right with this name, for a dialog that is only to be read. */
  closeLabel?: string;
  width?: number;
}
