import { ChevronDown, RotateCw } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { errorJoin, useErrorWords } from '../../i18n/errors.ts';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { useAdminBlocked, useIsAdmin } from '../../store/index.ts';
import { Button, Checkbox, cx, IconButton } from '../../ui/index.ts';
import { useAsking } from './Asking.tsx';
import { GroupTasks } from './GroupTasks.tsx';
import { type Group, groupEntry, groupToggled } from './groups.model.ts';
import { dead } from './messages.ts';
import { Trend } from './Trend.tsx';
import { useChosen } from './useChosen.ts';

function GroupActions({ group, revivable }: { group: Group; revivable: boolean }): ReactNode {
  const messages = useMessages(dead);
  const blocked = useAdminBlocked();
  const { ask } = useAsking();
  const count = formatCount(group.count);
  const question = { aim: { codes: [group.code] }, count: group.count, codes: [group.code] } as const;
  return (
    <span className="dead-group-actions">
      {revivable && (
        <Button size="small" icon={<RotateCw />} blocked={blocked} onClick={() => ask({ verb: 'retry', ...question })}>
          {messages.retry(count)}
        </Button>
      )}
      <Button size="small" kind="quiet" className="dead-purge" blocked={blocked} onClick={() => ask({ verb: 'purge', ...question })}>
        {messages.purge(count)}
      </Button>
    </span>
  );
}

/** A code: how many, why, what to do, its trend, and on demand its dead letters. */
export function GroupRow({
  group,
  groups,
  open,
  onOpen,
}: {
  group: Group;
  groups: readonly Group[];
  open: boolean;
  onOpen: (open: boolean) => void;
}): ReactNode {
  const messages = useMessages(dead);
  const join = useMessages(errorJoin);
  const admin = useIsAdmin();
  const words = useErrorWords();
  const { selection, set } = useChosen();
  const panel = useId();
  const { title, remedy, revivable } = words(group.code);
  return (
    <section className="dead-group" aria-label={title}>
      <div className={cx('dead-group-row', admin && 'dead-group-row--admin')}>
        {admin && (
          <Checkbox
            checked={selection.ids.has(groupEntry(group.code))}
            label={messages.selectGroup(group.code)}
            onChange={() => set(groupToggled(selection, group.code, []))}
          />
        )}
        <span className="dead-count type-figure-s">{formatCount(group.count)}</span>
        <div className="dead-cause">
          <p>
            <strong>{title}</strong> <code className="type-code">{group.code}</code>
          </p>
          <p className="type-control">
            {!revivable && join.noRetry}
            {remedy}
          </p>
        </div>
        <Trend hours={group.trend} />
        {admin ? <GroupActions group={group} revivable={revivable} /> : <span />}
        <IconButton
          className={cx('dead-open', open && 'dead-open--open')}
          label={messages.open(group.code)}
          icon={<ChevronDown />}
          aria-expanded={open}
          aria-controls={panel}
          onClick={() => onOpen(!open)}
        />
      </div>
      <div id={panel}>{open && <GroupTasks group={group} groups={groups} />}</div>
    </section>
  );
}
