import { Ellipsis, ServerCog } from 'lucide-react';
import type { ReactNode } from 'react';
import { common, formatCompact, useMessages } from '../i18n/index.ts';
import { Link, PATHS, useGo } from '../routing/index.ts';
import { useStore } from '../store/index.ts';
import { cx, Menu, MenuActions, MenuChoices, MenuHead, MenuRule } from '../ui/index.ts';
import './bottombar.css';
import { frame } from './messages.ts';
import { NAV_ITEMS } from './navItems.tsx';
import { LanguageChoices, ThemeChoices } from './PreferenceMenus.tsx';
import { useListedQueues, useShowQueue } from './QueueList.tsx';
import { usePage } from './usePage.ts';

function MoreMenu({ active }: { active: boolean }): ReactNode {
  const messages = useMessages(frame);
  const { page } = useMessages(common);
  const go = useGo();
  const queues = useListedQueues();
  const show = useShowQueue();
  const trigger = (
    <button type="button" className={cx('bottom-item', active && 'bottom-item--active')}>
      <Ellipsis size={20} strokeWidth={1.75} aria-hidden="true" />
      {messages.more}
    </button>
  );
  return (
    <Menu label={messages.more} trigger={trigger} side="top" align="end">
      <MenuActions
        items={[
          {
            id: 'system',
            label: page.system,
            icon: <ServerCog size={16} strokeWidth={1.75} aria-hidden="true" />,
            onSelect: () => go(PATHS.system),
          },
        ]}
      />
      <MenuRule />
      <MenuHead>{messages.queues}</MenuHead>
      <MenuChoices
        value={queues.find((one) => one.shown)?.queue ?? ''}
        choices={queues.map(({ queue, live }) => ({ value: queue, label: queue, hint: live === null ? '–' : formatCompact(live) }))}
        onChoose={show}
      />
      <MenuRule />
      <MenuHead>{messages.theme}</MenuHead>
      <ThemeChoices />
      <MenuRule />
      <MenuHead>{messages.language}</MenuHead>
      <LanguageChoices />
    </Menu>
  );
}

/** A phone's pages, at the foot. */
export function BottomBar(): ReactNode {
  const messages = useMessages(frame);
  const { page } = useMessages(common);
  const current = usePage();
  const dead = useStore((state) => state.live.snapshot?.counts.dead_letter ?? 0);
  return (
    <nav className="bottom-bar" aria-label={messages.navigation}>
      {NAV_ITEMS.filter((item) => item.page !== 'system').map((item) => (
        <Link
          key={item.page}
          to={item.path}
          className={cx('bottom-item', item.page === current && 'bottom-item--active')}
          aria-current={item.page === current ? 'page' : undefined}
        >
          {item.icon(20)}
          {page[item.page]}
          {item.page === 'deadLetters' && dead > 0 && <span className="visually-hidden">{messages.deadCount(String(dead))}</span>}
        </Link>
      ))}
      <MoreMenu active={current === 'system'} />
    </nav>
  );
}
