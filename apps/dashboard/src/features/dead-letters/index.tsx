import { RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useErrorSentence } from '../../i18n/errors.ts';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { useSearchParams } from '../../routing/index.ts';
import { useAdminBlocked, useIsAdmin, useStore } from '../../store/index.ts';
import { Alert, BulkBar, Button, EmptyState, PageHead, SearchField, Segments } from '../../ui/index.ts';
import { AskingProvider, useAsking } from './Asking.tsx';
import './dead-letters.css';
import { GroupRow } from './GroupRow.tsx';
import { chosenOf, type Group, newOf, totalOf } from './groups.model.ts';
import { dead } from './messages.ts';
import { TimeView } from './TimeView.tsx';
import { useChosen } from './useChosen.ts';
import { useGroups } from './useDeadLetters.ts';

function HeadActions({ groups }: { groups: readonly Group[] }): ReactNode {
  const messages = useMessages(dead);
  const blocked = useAdminBlocked();
  const { ask } = useAsking();
  const count = totalOf(groups);
  const question = { aim: { all: true }, count, codes: groups.map(({ code }) => code) } as const;
  return (
    <>
      <Button kind="danger" icon={<Trash2 />} blocked={blocked} onClick={() => ask({ verb: 'purge', ...question })}>
        {messages.purgeAll}
      </Button>
      <Button kind="primary" icon={<RotateCw />} blocked={blocked} onClick={() => ask({ verb: 'retry', ...question })}>
        {messages.retryAll(formatCount(count))}
      </Button>
    </>
  );
}

function Chosen({ groups }: { groups: readonly Group[] }): ReactNode {
  const messages = useMessages(dead);
  const words = useMessages(common);
  const blocked = useAdminBlocked();
  const { ask } = useAsking();
  const { selection, clear } = useChosen();
  const { codes, ids, count } = chosenOf(selection, groups);
  if (count === 0) return null;
  const question = { aim: { codes, ids }, count, codes: ids.length === 0 ? codes : [] };
  return (
    <BulkBar count={messages.selected(formatCount(count))} onClose={clear} closeLabel={words.clearSelection}>
      <Button kind="quiet" icon={<RotateCw />} blocked={blocked} onClick={() => ask({ verb: 'retry', ...question })}>
        {messages.retry(formatCount(count))}
      </Button>
      <Button kind="quiet" icon={<Trash2 />} blocked={blocked} onClick={() => ask({ verb: 'purge', ...question })}>
        {messages.purge(formatCount(count))}
      </Button>
    </BulkBar>
  );
}

type Order = 'code' | 'time';

interface Address {
  readonly order: Order;
  readonly code: string | null;
  /** Whether it asks for a retry of the code, or of all. */
  readonly asks: boolean;
  readonly set: (change: Readonly<Record<string, string | null>>) => void;
}

function useAddress(): Address {
  const [query, setQuery] = useSearchParams();
  return {
    order: query.get('view') === 'time' ? 'time' : 'code',
    code: query.get('code'),
    asks: query.get('ask') === 'retry',
    set: (change) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [key, value] of Object.entries(change)) {
            if (value === null) next.delete(key);
            else next.set(key, value);
          }
          return next;
        },
        { replace: true },
      ),
  };
}

/** Asks what the address asks for, such as the palette's retry, and takes the question out of it. */
function useAskedByAddress(groups: readonly Group[]): void {
  const { asks, code, set } = useAddress();
  const admin = useIsAdmin();
  const { ask } = useAsking();
  useEffect(() => {
    if (!asks) return;
    set({ ask: null });
    const meant = code === null ? groups : groups.filter((group) => group.code === code);
    const codes = meant.map((group) => group.code);
    if (!admin || codes.length === 0) return;
    ask({ verb: 'retry', aim: code === null ? { all: true } : { codes }, count: totalOf(meant), codes });
  }, [asks, code, set, admin, ask, groups]);
}

function Body({ groups }: { groups: readonly Group[] }): ReactNode {
  const messages = useMessages(dead);
  const { order, code, set } = useAddress();
  const [search, setSearch] = useState('');
  useAskedByAddress(groups);
  const byTime = order === 'time' || search.trim() !== '';
  return (
    <>
      <div className="dead-bar">
        <SearchField filter keys="/" label={messages.search} value={search} onChange={setSearch} />
        <Segments
          label={messages.view}
          value={order}
          choices={[
            { value: 'code', label: messages.byCode },
            { value: 'time', label: messages.byTime },
          ]}
          onChoose={(value) => set({ view: value === 'time' ? 'time' : null })}
        />
        {!byTime && <span className="dead-bar-meta type-meta">{messages.trend}</span>}
      </div>
      {byTime ? (
        <TimeView search={search.trim()} onClear={() => setSearch('')} groups={groups} />
      ) : (
        <div className="dead-groups">
          {groups.map((group) => (
            <GroupRow
              key={group.code}
              group={group}
              open={group.code === code}
              onOpen={(open) => set({ code: open ? group.code : null })}
              groups={groups}
            />
          ))}
        </div>
      )}
    </>
  );
}

function Failure({ code, reload }: { code: string; reload: () => void }): ReactNode {
  const messages = useMessages(dead);
  const { tryAgain } = useMessages(common);
  const sentence = useErrorSentence();
  return (
    <Alert
      kind="error"
      what={messages.failed}
      why={sentence(code)}
      actions={
        <button type="button" className="link" onClick={reload}>
          {tryAgain}
        </button>
      }
    />
  );
}

/** Tasks that will not run again by themselves: why, and what may be done. */
export default function DeadLettersPage(): ReactNode {
  const messages = useMessages(dead);
  const { page } = useMessages(common);
  const admin = useIsAdmin();
  const { data: groups, error, reload } = useGroups();
  const { clear } = useChosen();
  const cleared = useStore((state) => state.selectionCleared);
  useEffect(() => () => cleared('dead-letters'), [cleared]);
  const count = groups === undefined ? null : totalOf(groups);
  const fresh = groups === undefined ? 0 : newOf(groups);
  const summary = count === null || count === 0 ? undefined : count === 1 ? messages.summaryOne : messages.summary(formatCount(count));
  const sub = summary === undefined || fresh === 0 ? summary : `${summary} · ${messages.newInHour(formatCount(fresh))}`;
  return (
    <AskingProvider onDone={clear} onChange={reload}>
      <PageHead
        title={page.deadLetters}
        sub={sub}
        actions={admin && groups !== undefined && count !== 0 ? <HeadActions groups={groups} /> : undefined}
      />
      {error !== undefined && (
        <div className="alerts dead-alerts">
          <Failure code={error.code} reload={reload} />
        </div>
      )}
      {count === 0 && <EmptyState title={messages.none} text={messages.noneText} />}
      {groups !== undefined && count !== 0 && <Body groups={groups} />}
      {admin && groups !== undefined && <Chosen groups={groups} />}
    </AskingProvider>
  );
}
