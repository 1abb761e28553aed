import type { PageState } from '@galley/contract';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { pageImageUrl } from '../../api/index.ts';
import { common, useMessages } from '../../i18n/index.ts';
import { Link, readerPath } from '../../routing/index.ts';
import { cx, StateMark } from '../../ui/index.ts';
import { reader } from './messages.ts';

function Thumbnail({ taskId, page, current }: { taskId: string; page: PageState; current: boolean }): ReactNode {
  const messages = useMessages(reader);
  const { state } = useMessages(common);
  const element = useRef<HTMLLIElement>(null);
  const failed = page.status === 'dead_letter' || page.error !== undefined;
  const read = page.status === 'completed' && !failed;
  useEffect(() => {
    if (current) element.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <li ref={element} className={cx('thumbnail', current && 'is-current')}>
      <Link
        to={readerPath(taskId, page.page)}
        aria-current={current ? 'page' : undefined}
        aria-label={messages.thumbnail(String(page.page), failed ? messages.failed : state[page.status])}
      >
        <span className={cx('thumbnail-page', !read && 'thumbnail-page--unread')}>
          {read ? (
            <img src={pageImageUrl(taskId, page.page)} alt="" loading="lazy" decoding="async" width={84} height={112} />
          ) : failed ? (
            <TriangleAlert size={20} strokeWidth={1.75} color="var(--dead)" aria-hidden="true" />
          ) : (
            <StateMark state={page.status} size={18} />
          )}
        </span>
        <span className="thumbnail-foot type-meta">
          {page.page}
          {!read && <StateMark state={failed ? 'dead_letter' : page.status} size={10} />}
        </span>
      </Link>
    </li>
  );
}

/** Every page of a long document, small; readable while later ones run. */
export function Thumbnails({ taskId, pages, current }: { taskId: string; pages: readonly PageState[]; current: number }): ReactNode {
  const messages = useMessages(reader);
  return (
    <nav className="thumbnails" aria-label={messages.thumbnails}>
      <ol>
        {pages.map((page) => (
          <Thumbnail key={page.page} taskId={taskId} page={page} current={page.page === current} />
        ))}
      </ol>
    </nav>
  );
}
