import { type FormEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import { patiently } from '../loading/patiently.ts';
import { Button } from './Button.tsx';
import './dialog.css';
import type { DialogProps } from './dialogProps.ts';
import { Rich } from './Rich.tsx';

const DialogFrame = lazy(patiently(() => import('./DialogFrame.tsx')));

/** A modal dialog: traps focus, gives it back, Esc closes; on a phone a sheet from below. */
export function Dialog(props: DialogProps): ReactNode {
  if (!props.open) return null;
  return (
    <Suspense fallback={null}>
      <DialogFrame {...props} />
    </Suspense>
  );
}

export interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  /** The question with the count: "Purge 8 dead letters?" */
  title: string;
  /** What is lost and whether it can be undone. May mark **strong** and `code`. */
  description: string;
  /** The safe way out, such as "Keep them". */
  keep: string;
  /** The verb with the count: "Purge 8". */
  confirm: string;
  /** What has to be typed first, exactly but for spaces around it. */
  phrase?: string | undefined;
  danger?: boolean;
  /** The dialog closes when the promise is kept; when it is broken it stays and shows what the error says. */
  onConfirm: () => Promise<void> | void;
}

function useConfirming(
  onConfirm: () => Promise<void> | void,
  onClose: () => void,
): { busy: boolean; failure: string | null; start: () => void } {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, start: () => void run() };
}

function ConfirmForm({ keep, confirm, phrase, danger = true, onConfirm, onClose }: ConfirmDialogProps): ReactNode {
  const messages = useMessages(common);
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const { busy, failure, start } = useConfirming(onConfirm, onClose);
  const ready = phrase === undefined || typed.trim() === phrase;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready && !busy) start();
  };
  return (
    <form onSubmit={submit}>
      {phrase !== undefined && (
        <label className="dialog-field type-control">
          <span>
            <Rich text={messages.typeToConfirm(phrase)} />
          </span>
          <input
            ref={field}
            className="input"
            value={typed}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      {failure !== null && (
        <p className="dialog-failure type-control" role="alert">
          {failure}
        </p>
      )}
      <div className="dialog-actions">
        <Button autoFocus={phrase === undefined} onClick={onClose}>
          {keep}
        </Button>
        <Button type="submit" kind={danger ? 'danger-solid' : 'primary'} busy={busy} inactive={!ready}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}

/** Asks before what cannot be undone. Focus starts on the field, or on the safe button where nothing has to be typed. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  return (
    <Dialog open={props.open} onClose={props.onClose} title={props.title} description={<Rich text={props.description} />}>
      <ConfirmForm {...props} />
    </Dialog>
  );
}
