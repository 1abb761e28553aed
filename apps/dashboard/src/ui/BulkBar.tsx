import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import './bulkbar.css';
import { IconButton } from './Button.tsx';
import { ProgressBar } from './Progress.tsx';

export interface BulkBarProps {
  /** Such as "18,672 selected". */
  count: string;
  /** Buttons of kind `quiet`. */
  children?: ReactNode;
  onClose: () => void;
  closeLabel: string;
}

/** What to do with what is selected; floats over the page's foot while anything is. */
export function BulkBar({ count, children, onClose, closeLabel }: BulkBarProps): ReactNode {
  return (
    <div className="bulk-bar" role="toolbar" aria-label={count}>
      <strong className="bulk-bar-count type-control">{count}</strong>
      <div className="bulk-bar-actions">{children}</div>
      <IconButton label={closeLabel} icon={<X />} onClick={onClose} />
    </div>
  );
}

/** An operation on its way: what it does, how far it is. */
export function OperationBar({ label, progress, share }: { label: string; progress: string; share: number }): ReactNode {
  return (
    <div className="bulk-bar bulk-bar--operation">
      <strong className="type-control">{label}</strong>
      <ProgressBar share={share} colour="currentColor" label={label} />
      <span className="type-control">{progress}</span>
    </div>
  );
}
