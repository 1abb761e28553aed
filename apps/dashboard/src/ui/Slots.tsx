import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import './slots.css';

export type Sort = 'busy' | 'stuck' | 'free';

/** One square, the printer's sort: a lock key or a slot. */
export function SortMark({ kind }: { kind: Sort }): ReactNode {
  return <i className={cx('sort', `sort--${kind}`)} aria-hidden="true" />;
}

const DRAWN_SLOTS = 16;

/** One square per slot, then `busy/slots`; over 16 a bar and `30 / 64`. `stuck`: how many of the busy ones. */
export function Slots({ busy, slots, stuck = 0, label }: { busy: number; slots: number; stuck?: number; label?: string }): ReactNode {
  if (slots > DRAWN_SLOTS) {
    return (
      <span className="slots" aria-label={label} role={label === undefined ? undefined : 'img'}>
        <span className="slots-bar">
          <i style={{ transform: `scaleX(${Math.min(1, busy / slots)})` }} />
        </span>
        <span className="slots-count">{`${busy} / ${slots}`}</span>
      </span>
    );
  }
  return (
    <span className="slots" aria-label={label} role={label === undefined ? undefined : 'img'}>
      <span className="sorts">
        {Array.from({ length: slots }, (_, index) => (
          <SortMark key={`${index}`} kind={index < stuck ? 'stuck' : index < busy ? 'busy' : 'free'} />
        ))}
      </span>
      <span className="slots-count">{`${busy}/${slots}`}</span>
    </span>
  );
}

const DRAWN_LOCKS = 8;

/** One square per lock key, at most 8, then `8+` and the number. `expected`: the tasks in processing, said where it differs. */
export function Locks({ locks, stuck, text, differs }: { locks: number; stuck: number; text: string; differs: boolean }): ReactNode {
  return (
    <span className="slots">
      <span className="sorts">
        {Array.from({ length: Math.min(locks, DRAWN_LOCKS) }, (_, index) => (
          <SortMark key={`${index}`} kind={index < stuck ? 'stuck' : 'busy'} />
        ))}
      </span>
      {locks > DRAWN_LOCKS && <span className="slots-more">8+</span>}
      <span className={cx('slots-count', differs && 'slots-count--differs', locks === 0 && 'slots-count--zero')}>{text}</span>
    </span>
  );
}
