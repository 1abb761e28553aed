import type { PageResult, Task } from '@galley/contract';
import { ArrowDown, ArrowUp, Check, Copy } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useMemo, useRef, useState } from 'react';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { Button, EmptyState, IconButton, SearchField, Tabs } from '../../ui/index.ts';
import { DownloadMenu } from './DownloadMenu.tsx';
import { reader } from './messages.ts';
import { doubtfulKeys, figuresOf, pageText } from './page.model.ts';
import type { Match } from './search.model.ts';
import { TextBlocks } from './TextBlocks.tsx';
import { setView, TEXT_TABS, type TextTab, useView } from './view.ts';
import { Warnings } from './Warnings.tsx';

const PANEL = 'page-text';

/** Copies a text; true for a while after it has been. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2_000);
    return () => window.clearTimeout(timer);
  }, [copied]);
  return { copied, copy: (text) => void navigator.clipboard.writeText(text).then(() => setCopied(true)) };
}

/** What the tab shows, as text. */
export function shownText(page: PageResult, tab: TextTab): string {
  if (tab === 'json') return JSON.stringify(page, null, 2);
  return tab === 'markdown' ? page.markdown : pageText(page);
}

export interface Search {
  readonly matches: readonly Match[];
  readonly step: (direction: 1 | -1) => void;
}

function SearchBar({ total, search, field }: { total: number | null; search: Search; field: Ref<HTMLInputElement> }): ReactNode {
  const messages = useMessages(reader);
  const query = useView((view) => view.query);
  const match = useView((view) => view.match);
  const { matches, step } = search;
  const asked = query.trim() !== '';
  const count = matches.length === 0 ? messages.foundNone : messages.found(formatCount(match + 1), formatCount(matches.length));
  return (
    <search className="text-search">
      <SearchField
        plain
        filter
        inputRef={field}
        label={total === null || total === 1 ? messages.searchOne : messages.search(formatCount(total))}
        value={query}
        keys="Ctrl F"
        onChange={(value) => setView({ query: value, match: 0 })}
        onEnter={(back) => step(back ? -1 : 1)}
      >
        {asked ? (
          <>
            <span className="type-meta text-search-count" role="status">
              {count}
            </span>
            <IconButton size="small" label={messages.previousMatch} icon={<ArrowUp />} onClick={() => step(-1)} />
            <IconButton size="small" label={messages.nextMatch} icon={<ArrowDown />} onClick={() => step(1)} />
          </>
        ) : undefined}
      </SearchField>
    </search>
  );
}

function ToCheck({ page, onStep }: { page: PageResult; onStep: () => void }): ReactNode {
  const messages = useMessages(reader);
  const count = useMemo(() => doubtfulKeys(page).length, [page]);
  if (count === 0) return <span className="text-checked">{messages.nothingToCheck}</span>;
  return (
    <button type="button" className="text-check" onClick={onStep}>
      <span className="doubt">{count === 1 ? messages.toCheckOne : messages.toCheck(formatCount(count))}</span> {messages.toCheckAfter}
    </button>
  );
}

function Foot({ page, onCheck }: { page: PageResult; onCheck: () => void }): ReactNode {
  const messages = useMessages(reader);
  const { blocks, lines, confidence } = useMemo(() => figuresOf(page), [page]);
  return (
    <div className="text-foot type-meta">
      <span>{blocks === 1 ? messages.oneBlock : messages.blocks(formatCount(blocks))}</span>
      <span>{lines === 1 ? messages.oneLine : messages.lines(formatCount(lines))}</span>
      {confidence !== null && <span>{messages.confidence(confidence.toFixed(2))}</span>}
      <ToCheck page={page} onStep={onCheck} />
    </div>
  );
}

function Body({ page, tab }: { page: PageResult; tab: TextTab }): ReactNode {
  const messages = useMessages(reader);
  if (tab !== 'text') return <pre className="text-code type-code">{shownText(page, tab)}</pre>;
  if (page.blocks.length === 0) return <EmptyState title={messages.blank} text={messages.blankText} />;
  return <TextBlocks page={page} />;
}

/** The page's text beside its picture: as text, as Markdown, as JSON, under what there is to know about its reading. */
export function TextPane({
  task,
  page,
  total,
  warnings,
  search,
  field,
  phone,
  onCheck,
}: {
  task: Task | undefined;
  page: PageResult | undefined;
  total: number | null;
  warnings: readonly string[];
  search: Search;
  field: Ref<HTMLInputElement>;
  phone: boolean;
  onCheck: () => void;
}): ReactNode {
  const messages = useMessages(reader);
  const tab = useView((view) => view.tab);
  const pinned = useView((view) => view.pinned);
  const scroller = useRef<HTMLDivElement>(null);
  const { copied, copy } = useCopy();
  const number = page?.page;
  useEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [number]);
  useEffect(() => {
    if (pinned?.from !== 'picture') return;
    scroller.current?.querySelector(`[data-key="${pinned.key}"]`)?.scrollIntoView({ block: 'center' });
  }, [pinned]);
  return (
    <section className="text-pane" aria-label={messages.textPane}>
      <div className="text-head">
        <Tabs
          label={messages.views}
          panel={PANEL}
          value={tab}
          onChoose={(value) => setView({ tab: value })}
          tabs={TEXT_TABS.map((value) => ({ value, label: messages.tabs[value] }))}
        />
        {phone
          ? page !== undefined && (
              <span className="text-head-check type-control">
                <ToCheck page={page} onStep={onCheck} />
              </span>
            )
          : task !== undefined && (
              <div className="text-actions">
                <Button
                  size="small"
                  icon={copied ? <Check /> : <Copy />}
                  inactive={page === undefined}
                  onClick={() => page !== undefined && copy(shownText(page, tab))}
                >
                  <span className="text-copy">{copied ? messages.copied : messages.copyPage}</span>
                </Button>
                <DownloadMenu task={task} />
              </div>
            )}
      </div>
      {!phone && <SearchBar total={total} search={search} field={field} />}
      <div ref={scroller} id={PANEL} role="tabpanel" className="text-scroll" {...SCROLLS} aria-label={messages.tabs[tab]}>
        {page !== undefined && tab === 'text' && <Warnings warnings={warnings} />}
        {page !== undefined && <Body page={page} tab={tab} />}
      </div>
      {page !== undefined && !phone && <Foot page={page} onCheck={onCheck} />}
    </section>
  );
}

/** A pane that scrolls has to be reachable by the keyboard. */
const SCROLLS = { tabIndex: 0 } as const;
