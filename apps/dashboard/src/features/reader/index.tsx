import type { PageResult } from '@galley/contract';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { DeskHead } from '../../registry/index.ts';
import { readerPath, useGo, useParams, useSearchParams } from '../../routing/index.ts';
import { useStore } from '../../store/index.ts';
import { cx, PHONE, shownName, useMedia } from '../../ui/index.ts';
import { Head } from './Head.tsx';
import { Instead } from './Instead.tsx';
import { reader } from './messages.ts';
import './reader.css';
import { Resizer } from './Resizer.tsx';
import { Stage } from './Stage.tsx';
import { findMatches } from './search.model.ts';
import { type Search, shownText, TextPane, useCopy } from './TextPane.tsx';
import { Thumbnails } from './Thumbnails.tsx';
import { useAllPages, useDocument, usePageResult } from './useDocument.ts';
import { stepToCheck, useReaderKeys } from './useReaderKeys.ts';
import { freshDocument, freshPage, setView, useView } from './view.ts';
import { shownWarnings } from './warnings.model.ts';

function usePageNumber(total: number | null): number {
  const [search] = useSearchParams();
  const asked = Number(search.get('page') ?? '1');
  const page = Number.isInteger(asked) && asked >= 1 ? asked : 1;
  return total === null ? page : Math.min(page, Math.max(1, total));
}

/** Search over every page read so far; the newest step is shown and pinned. */
function useSearch(pages: readonly PageResult[], go: (page: number) => void): Search {
  const query = useView((view) => view.query);
  const matches = useMemo(() => findMatches(pages, query), [pages, query]);
  const step = (direction: 1 | -1): void => {
    const count = matches.length;
    const { match, pinned } = useView.getState();
    const first = pinned === null && direction === 1;
    const next = first ? Math.min(match, count - 1) : (match + direction + count) % Math.max(1, count);
    const wanted = matches[next];
    if (wanted === undefined) return;
    go(wanted.page);
    setView({ match: next, tab: 'text' });
    // After the page has been drawn: first the text is brought into view, then the picture.
    window.setTimeout(() => setView({ pinned: { key: wanted.key, from: 'picture' } }), 60);
    window.setTimeout(() => setView({ pinned: { key: wanted.key, from: 'text' } }), 120);
  };
  return { matches, step };
}

/** The page picture with its boxes, and beside it the text that was read. */
export default function ReaderPage(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const messages = useMessages(reader);
  const phone = useMedia(PHONE);
  const { task, error, pages, total, warnings } = useDocument(id);
  const number = usePageNumber(total);
  const state = pages.find(({ page }) => page === number);
  const result = usePageResult(task, number, state);
  const unreadable = state?.error !== undefined;
  const page = unreadable && (result.data?.blocks.length ?? 0) === 0 ? undefined : result.data;
  const width = useStore((store) => store.preferences.readerTextWidth);
  const told = useMemo(() => shownWarnings(page, pages, warnings), [page, pages, warnings]);
  const searching = useView((view) => view.query.trim() !== '');
  const field = useRef<HTMLInputElement>(null);
  const navigate = useGo();
  const go = useCallback((next: number) => navigate(readerPath(id, next), { replace: true }), [navigate, id]);
  const search = useSearch(useAllPages(task, searching), go);
  const { copy } = useCopy();

  useEffect(freshDocument, [id]);
  useEffect(freshPage, [number]);
  const name = task?.filename;
  useEffect(() => {
    if (name !== undefined) document.title = `${shownName(name)} · Galley`;
  }, [name]);
  useReaderKeys({
    page,
    step: (direction) => {
      const next = number + direction;
      if (next >= 1 && total !== null && next <= total) go(next);
    },
    copy: () => page !== undefined && copy(shownText(page, useView.getState().tab)),
    search: () => field.current?.focus(),
  });

  const instead = <Instead id={id} task={task} page={number} state={state} error={error ?? result.error} reload={result.reload} />;
  const head = <Head id={id} task={task} pages={pages} total={total} phone={phone} />;
  const rail = pages.length > 1 && !phone;
  return (
    <>
      <DeskHead>{!phone && head}</DeskHead>
      {phone && head}
      <div className={cx('reader', rail && 'reader--rail')} style={{ '--reader-text': `${width}px` }}>
        {rail && <Thumbnails taskId={id} pages={pages} current={number} />}
        <Stage
          taskId={id}
          page={page}
          version={state === undefined || task === undefined ? '' : String(task.fence)}
          steps={{ page: number, total, go }}
          phone={phone}
        >
          {instead}
        </Stage>
        {!phone && <Resizer label={messages.resize} />}
        <TextPane
          task={task}
          page={page}
          total={total}
          warnings={told}
          search={search}
          field={field}
          phone={phone}
          onCheck={() => stepToCheck(page, 1)}
        />
      </div>
    </>
  );
}
