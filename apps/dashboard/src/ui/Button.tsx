import { LoaderCircle } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import './button.css';
import { cx } from './cx.ts';
import { Tooltip } from './Tooltip.tsx';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-solid';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled' | 'type'> {
  kind?: ButtonKind;
  size?: 'normal' | 'small';
  /** 15 px of lucide. */
  icon?: ReactNode;
  /** Why it cannot be pressed now; it then stays reachable, so that the reason can be read. */
  blocked?: string | undefined;
  /** It cannot be pressed yet, and what stands beside it says why, such as an empty field. */
  inactive?: boolean;
  /** Its work is running: the label stays, and after 400 ms a spinner takes the icon's place. */
  busy?: boolean;
  type?: 'button' | 'submit';
}

function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return setSlow(false);
    const timer = window.setTimeout(() => setSlow(true), 400);
    return () => window.clearTimeout(timer);
  }, [busy]);
  return slow;
}

export function Button({
  kind = 'secondary',
  size = 'normal',
  icon,
  blocked,
  inactive = false,
  busy = false,
  type = 'button',
  className,
  children,
  onClick,
  ...rest
}: ButtonProps): ReactNode {
  const slow = useSlow(busy);
  const off = blocked !== undefined || inactive || busy;
  const button = (
    <button
      {...rest}
      type={type}
      className={cx('button', `button--${kind}`, size === 'small' && 'button--small', className)}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      data-blocked={blocked !== undefined || inactive || undefined}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {slow ? <LoaderCircle className="button-spinner" size={14} strokeWidth={1.75} aria-hidden="true" /> : icon}
      {children}
    </button>
  );
  return blocked === undefined ? button : <Tooltip text={blocked}>{button}</Tooltip>;
}

export interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'children'> {
  /** Its name for a screen reader, and its tooltip. */
  label: string;
  icon: ReactNode;
}

/** An action that is an icon alone: for toolbars, rails and close buttons only. */
export function IconButton({ label, icon, className, kind = 'quiet', blocked, ...rest }: IconButtonProps): ReactNode {
  const button = (
    <Button {...rest} kind={kind} className={cx('button--icon', className)} aria-label={label} icon={icon} blocked={blocked} />
  );
  return blocked === undefined ? <Tooltip text={label}>{button}</Tooltip> : button;
}
