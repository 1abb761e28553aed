import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useMessages } from '../i18n/index.ts';
import { useIsDesk } from '../registry/index.ts';
import { useStore } from '../store/index.ts';
import { cx, Toasts } from '../ui/index.ts';
import { patiently } from '../ui/patiently.ts';
import { Banners } from './Banners.tsx';
import { BottomBar } from './BottomBar.tsx';
import './frame.css';
import { GlobalDrop } from './GlobalDrop.tsx';
import { LiveRegion } from './LiveRegion.tsx';
import { frame } from './messages.ts';
import { Operations } from './Operations.tsx';
import { SideBar } from './SideBar.tsx';
import { TopBar } from './TopBar.tsx';
import { type Overlay, useFrameKeys } from './useFrameKeys.ts';
import { useQueues } from './useQueues.ts';

const Palette = lazy(patiently(() => import('./Palette.tsx')));
const KeyHelp = lazy(patiently(() => import('./KeyHelp.tsx')));

/** What stands around every page: bars, notices, drop zone, palette and keys. */
export function Frame({ children }: { children: ReactNode }): ReactNode {
  const messages = useMessages(frame);
  const stale = useStore((state) => state.connection.freshness === 'lost');
  const desk = useIsDesk();
  const [overlay, setOverlay] = useState<Overlay>(null);
  useFrameKeys(setOverlay);
  useQueues();
  const close = (): void => setOverlay(null);
  return (
    <div className={cx('frame', stale && 'is-stale', desk && 'frame--desk')}>
      <a className="skip-link" href="#page">
        {messages.skip}
      </a>
      <SideBar />
      <div className="frame-column">
        <TopBar onSearch={() => setOverlay('palette')} />
        <main id="page" className="page" tabIndex={-1}>
          <Banners />
          {children}
        </main>
      </div>
      <BottomBar />
      <Operations />
      <Toasts label={messages.notices} />
      <LiveRegion />
      <GlobalDrop />
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'keys' && <KeyHelp onClose={close} />}
      </Suspense>
    </div>
  );
}
