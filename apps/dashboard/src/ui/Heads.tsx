import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import './heads.css';

export interface PageHeadProps {
  title: ReactNode;
  /** One line under the title. */
  sub?: ReactNode;
  /** At the right, on the baseline; at most one primary button. */
  actions?: ReactNode;
  /** Above the title, such as the way back. */
  above?: ReactNode;
  /** Beside the title, such as a badge. */
  beside?: ReactNode;
}

/** The title of a page and the thick-thin rule under it. Once a page; holds its only `h1`. */
export function PageHead({ title, sub, actions, above, beside }: PageHeadProps): ReactNode {
  return (
    <header className="page-head">
      {above}
      <div className="page-head-row">
        <div className="page-head-titles">
          <div className="page-head-title">
            <h1 className="type-title" tabIndex={-1}>
              {title}
            </h1>
            {beside}
          </div>
          {sub !== undefined && <p className="page-head-sub type-control">{sub}</p>}
        </div>
        {actions !== undefined && <div className="page-head-actions">{actions}</div>}
      </div>
      <div className="thick-thin" aria-hidden="true" />
    </header>
  );
}

export interface SectionHeadProps {
  title: ReactNode;
  /** One phrase in a softer ink. */
  meta?: ReactNode;
  /** A key or actions at the right. */
  aside?: ReactNode;
  /** A section of a section: a lighter rule. */
  sub?: boolean;
  id?: string;
  level?: 2 | 3;
}

/** A rule, the title of a section, a phrase, and what stands at the right. */
export function SectionHead({ title, meta, aside, sub = false, id, level = 2 }: SectionHeadProps): ReactNode {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={cx('section-head', sub && 'section-head--sub')}>
      <Heading className="type-section" id={id}>
        {title}
      </Heading>
      {meta !== undefined && <span className="section-head-meta type-meta">{meta}</span>}
      {aside !== undefined && <div className="section-head-aside type-meta">{aside}</div>}
    </div>
  );
}
