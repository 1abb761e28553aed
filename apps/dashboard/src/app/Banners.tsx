import { WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatTime, useMessages } from '../i18n/index.ts';
import { Link, PATHS } from '../routing/index.ts';
import { useStore, wire } from '../store/index.ts';
import { Alert } from '../ui/index.ts';
import { useBrowserNow } from './ConnectionStatus.tsx';
import { frame } from './messages.ts';

function StreamLost(): ReactNode {
  const messages = useMessages(frame);
  const lastAt = useStore((state) => state.connection.lastSnapshotAt);
  const offset = useStore((state) => state.connection.clockOffset);
  const status = useStore((state) => state.connection.wire);
  const now = useBrowserNow(true);
  const since = lastAt === null || offset === null ? messages.streamNever : messages.streamLostSince(formatTime(lastAt + offset));
  const seconds = status.kind === 'away' ? Math.ceil((status.nextTryAt - now) / 1_000) : 0;
  const next = seconds > 0 ? messages.nextTry(String(seconds)) : messages.trying;
  return (
    <Alert
      icon={<WifiOff size={18} strokeWidth={1.75} aria-hidden="true" />}
      what={messages.streamLost}
      why={`${since} ${messages.streamKeeps} ${next}`}
      actions={
        <button type="button" className="link" onClick={() => wire.retryNow()}>
          {messages.tryNow}
        </button>
      }
    />
  );
}

function RedisAway(): ReactNode {
  const messages = useMessages(frame);
  return (
    <Alert
      kind="error"
      what={messages.redisAway}
      why={messages.redisAwayWhy}
      actions={
        <Link className="link" to={PATHS.system}>
          {messages.openSystem}
        </Link>
      }
    />
  );
}

/** What stands above the head of every page: that Redis is away, and that nothing on the page is live any more. */
export function Banners(): ReactNode {
  const lost = useStore((state) => state.connection.freshness === 'lost');
  const redisAway = useStore((state) => state.connection.redisAway);
  if (!lost && !redisAway) return null;
  return (
    <div className="banners">
      {redisAway && <RedisAway />}
      {lost && <StreamLost />}
    </div>
  );
}
