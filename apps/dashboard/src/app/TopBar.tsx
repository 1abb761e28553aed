import { Search, Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import { DeskSlot, useIsDesk } from '../registry/index.ts';
import { Link, PATHS } from '../routing/index.ts';
import { IconButton, Kbd, Logo } from '../ui/index.ts';
import { ConnectionStatus } from './ConnectionStatus.tsx';
import { frame } from './messages.ts';
import './topbar.css';
import { usePage } from './usePage.ts';

const MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The command field at the left, connection and Upload at the right; on a phone logo, connection and search. */
export function TopBar({ onSearch }: { onSearch: () => void }): ReactNode {
  const messages = useMessages(frame);
  const { page } = useMessages(common);
  const desk = useIsDesk();
  const onUploadPage = usePage() === 'upload';
  return (
    <header className="top-bar">
      <div className="top-bar-inner">
        <Link to={PATHS.overview} className="top-bar-brand" aria-label="Galley">
          <Logo size={21} /> Galley
        </Link>
        {desk ? (
          <DeskSlot />
        ) : (
          <button
            type="button"
            className="command-field type-control"
            onClick={onSearch}
            aria-haspopup="dialog"
            aria-keyshortcuts="Control+K"
          >
            <Search size={15} strokeWidth={1.75} aria-hidden="true" />
            <span>{messages.command}</span>
            <Kbd>{MAC ? '⌘ K' : 'Ctrl K'}</Kbd>
          </button>
        )}
        <div className="top-bar-right">
          <ConnectionStatus />
          {!onUploadPage && (
            <Link to={PATHS.upload} className="button button--secondary top-bar-upload">
              <Upload aria-hidden="true" />
              {page.upload}
            </Link>
          )}
          <IconButton className="top-bar-search" label={messages.search} icon={<Search />} onClick={onSearch} />
        </div>
      </div>
    </header>
  );
}
