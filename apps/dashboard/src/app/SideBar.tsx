import type { ReactNode } from 'react';
import { common, formatCompact, formatCount, useMessages } from '../i18n/index.ts';
import { useIsDesk } from '../registry/index.ts';
import { Link, PATHS } from '../routing/index.ts';
import { useStore } from '../store/index.ts';
import { cx, Logo, RAIL, Tooltip, useMedia } from '../ui/index.ts';
import { frame } from './messages.ts';
import { NAV_ITEMS, type NavItem } from './navItems.tsx';
import { LanguageMenu, ThemeMenu } from './PreferenceMenus.tsx';
import { QueueList } from './QueueList.tsx';
import './sidebar.css';
import { usePage } from './usePage.ts';

function NavLink({ item, active, dead, rail }: { item: NavItem; active: boolean; dead: number; rail: boolean }): ReactNode {
  const messages = useMessages(common);
  const { deadCount } = useMessages(frame);
  const label = messages.page[item.page];
  const counted = item.page === 'deadLetters' && dead > 0;
  const link = (
    <Link to={item.path} className={cx('nav-item', active && 'nav-item--active')} aria-current={active ? 'page' : undefined}>
      {item.icon(18)}
      <span className="nav-label">{label}</span>
      {counted && (
        <span className="nav-count nav-count--dead">
          <span aria-hidden="true">{rail ? formatCompact(dead) : formatCount(dead)}</span>
          <span className="visually-hidden">{deadCount(formatCount(dead))}</span>
        </span>
      )}
    </Link>
  );
  return rail ? <Tooltip text={label}>{link}</Tooltip> : link;
}

function Identity(): ReactNode {
  const messages = useMessages(common);
  const role = useStore((state) => state.session.role);
  const userId = useStore((state) => state.session.userId);
  const known = useStore((state) => state.session.status === 'open');
  return <span className="side-bar-identity">{known ? (userId ?? messages.role[role]) : ''}</span>;
}

/** Pages and queues at the left; a rail of icons under 1101 px; not there on a phone. */
export function SideBar(): ReactNode {
  const messages = useMessages(frame);
  const dead = useStore((state) => state.live.snapshot?.counts.dead_letter ?? 0);
  const current = usePage();
  const narrow = useMedia(RAIL);
  const rail = useIsDesk() || narrow;
  return (
    <aside className="side-column" aria-label="Galley">
      <div className="side-bar">
        <Link to={PATHS.overview} className="side-bar-brand" aria-label="Galley">
          <Logo />
          <span className="nav-label">Galley</span>
        </Link>
        <nav className="side-bar-nav" aria-label={messages.navigation}>
          {NAV_ITEMS.map((item) => (
            <NavLink key={item.page} item={item} active={item.page === current} dead={dead} rail={rail} />
          ))}
        </nav>
        <QueueList />
        <div className="side-bar-foot">
          <Identity />
          <LanguageMenu />
          <ThemeMenu />
        </div>
      </div>
    </aside>
  );
}
