import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useMessages } from '../i18n/index.ts';
import { patiently } from '../loading/patiently.ts';
import { useIsDesk } from '../registry/index.ts';
import { useStore } from '../store/index.ts';
import { cx } from '../ui/index.ts';
import { BottomBar } from './BottomBar.tsx';
import './frame.css';
import { frame } from './messages.ts';
import { SideBar } from './SideBar.tsx';
import { TopBar } from './TopBar.tsx';
import type { Overlay } from './useFrameKeys.ts';
import { useQueues } from './useQueues.ts';

const Banners = lazy(patiently(async () => ({ default: (await import('./Banners.tsx')).Banners })));
const Later = lazy(patiently(() => import('./Later.tsx')));
const Palette = lazy(patiently(() => import('./Palette.tsx')));
const KeyHelp = lazy(patiently(() => import('./KeyHelp.tsx')));

/** What stands around every page: bars, notices, drop zone, palette and keys. */
export function Frame({ children }: { children: ReactNode }): ReactNode {
  const messages = useMessages(frame);
  const stale = useStore((state) => state.connection.freshness === 'lost');
  const troubled = useStore((state) => state.connection.freshness === 'lost' || state.connection.redisAway);
  const desk = useIsDesk();
  const [overlay, setOverlay] = useState<Overlay>(null);
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
          {troubled && (
            <Suspense fallback={null}>
              <Banners />
            </Suspense>
          )}
          {children}
        </main>
      </div>
      <BottomBar />
      <Suspense fallback={null}>
        <Later onOverlay={setOverlay} />
      </Suspense>
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'keys' && <KeyHelp onClose={close} />}
      </Suspense>
    </div>
  );
}
