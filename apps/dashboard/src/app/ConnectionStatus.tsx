import { type ReactNode, useEffect, useState } from 'react';
import { useFormats, useMessages } from '../i18n/index.ts';
import { useStore } from '../store/index.ts';
import { ConnectionPill } from '../ui/index.ts';
import { frame } from './messages.ts';

/** This browser's clock each second while `running`; stands still otherwise. */
export function useBrowserNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, [running]);
  return now;
}

/** The pill of the top bar, and beside it that the queue is paused. */
export function ConnectionStatus(): ReactNode {
  const messages = useMessages(frame);
  const formats = useFormats();
  const freshness = useStore((state) => state.connection.freshness);
  const lastAt = useStore((state) =>
    state.connection.freshness === 'live' ? null : (state.connection.lastSnapshotAt ?? state.connection.startedAt),
  );
  const paused = useStore((state) => state.live.snapshot?.paused === true);
  const away = freshness === 'late' || freshness === 'lost';
  const now = useBrowserNow(away);
  const seconds = Math.max(1, Math.round((now - (lastAt ?? now)) / 1_000)) * 1_000;
  return (
    <>
      {paused && <ConnectionPill kind="paused" text={messages.queuePaused} />}
      {away ? (
        <ConnectionPill kind="offline" text={messages.offlineFor(formats.whole(seconds))} />
      ) : (
        <ConnectionPill
          kind={freshness === 'live' ? 'live' : 'connecting'}
          text={freshness === 'live' ? messages.live : messages.connecting}
        />
      )}
    </>
  );
}
