import { Search, X } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import { cx } from './cx.ts';
import { Kbd } from './Kbd.tsx';
import './searchfield.css';

export interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Its name, drawn while it is empty. */
  label: string;
  /** The key that brings one here. */
  keys?: string;
  /** `/` focuses it: one on a page. */
  filter?: boolean;
  /** No border of its own: it stands in a bar. */
  plain?: boolean;
  onEnter?: (back: boolean) => void;
  inputRef?: Ref<HTMLInputElement>;
  /** At the right end, such as "3 of 12". */
  children?: ReactNode;
}

/** A field that narrows what is shown. Esc empties it, and pressed again leaves it. */
export function SearchField(props: SearchFieldProps): ReactNode {
  const { value, onChange, label, keys, filter = false, plain = false, onEnter, inputRef, children } = props;
  const messages = useMessages(common);
  return (
    <div className={cx('search-field', plain && 'search-field--plain')}>
      <Search size={15} strokeWidth={1.75} aria-hidden="true" />
      <input
        ref={inputRef}
        type="text"
        role="searchbox"
        inputMode="search"
        aria-label={label}
        placeholder={label}
        value={value}
        autoComplete="off"
        spellCheck={false}
        {...(filter ? { 'data-filter-field': true } : {})}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.(event.shiftKey);
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          if (value === '') event.currentTarget.blur();
          else onChange('');
        }}
      />
      {children}
      {value === ''
        ? keys !== undefined && <Kbd>{keys}</Kbd>
        : children === undefined && (
            <button type="button" className="search-field-clear" aria-label={messages.close} onClick={() => onChange('')}>
              <X size={14} strokeWidth={1.75} aria-hidden="true" />
            </button>
          )}
    </div>
  );
}
