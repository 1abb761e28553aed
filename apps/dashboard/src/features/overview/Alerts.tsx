import type { QueueSnapshot, Worker } from '@galley/contract';
import { type ReactNode, useEffect, useState } from 'react';
import { formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { Link } from '../../routing/index.ts';
import { useAdminBlocked, useStore } from '../../store/index.ts';
import { Alert } from '../../ui/index.ts';
import { type AlertModel, alertsOf } from './alerts.model.ts';
import { overview } from './messages.ts';

const SHOWN = 3;

function Links({ alert }: { alert: AlertModel }): ReactNode {
  return alert.links.map(({ label, to }) =>
    to.startsWith('#') ? (
      <a key={to} className="link" href={to}>
        {label}
      </a>
    ) : (
      <Link key={to} className="link" to={to}>
        {label}
      </Link>
    ),
  );
}

/** Each alert is spoken once, when it appears. */
function useSpoken(alerts: readonly AlertModel[]): void {
  const announced = useStore((state) => state.announced);
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const fresh = alerts.filter((alert) => !known.has(alert.id));
    const same = fresh.length === 0 && known.size === alerts.length;
    if (same) return;
    for (const alert of fresh) announced(alert.what);
    setKnown(new Set(alerts.map((alert) => alert.id)));
  }, [alerts, known, announced]);
}

function Paused({ queue, onResume }: { queue: string; onResume: () => void }): ReactNode {
  const { alert: words } = useMessages(overview);
  const blocked = useAdminBlocked();
  return (
    <Alert
      what={words.paused(queue)}
      why={words.pausedWhy}
      actions={
        blocked === undefined && (
          <button type="button" className="link" onClick={onResume}>
            {words.resume}
          </button>
        )
      }
    />
  );
}

/** What needs a person's eye, worst first, three at most and then how many more. */
export function Alerts({
  snapshot,
  workers,
  onResume,
}: {
  snapshot: QueueSnapshot;
  workers: readonly Worker[];
  onResume: () => void;
}): ReactNode {
  const { alert: words } = useMessages(overview);
  const formats = useFormats();
  const [all, setAll] = useState(false);
  const lost = useStore((state) => state.connection.freshness === 'lost');
  const alerts = alertsOf({ snapshot, workers, words, formats });
  useSpoken(alerts);
  // What was so before the stream was lost may be over.
  if (lost || (alerts.length === 0 && !snapshot.paused)) return null;
  const shown = all ? alerts : alerts.slice(0, snapshot.paused ? SHOWN - 1 : SHOWN);
  return (
    <div className="alerts overview-alerts">
      {snapshot.paused && <Paused queue={snapshot.queue} onResume={onResume} />}
      {shown.map((alert) => (
        <Alert
          key={alert.id}
          kind={alert.kind}
          what={alert.what}
          why={alert.why}
          actions={alert.links.length > 0 && <Links alert={alert} />}
        />
      ))}
      {alerts.length > shown.length && (
        <button type="button" className="link overview-more type-control" onClick={() => setAll(true)}>
          {words.more(formatCount(alerts.length - shown.length))}
        </button>
      )}
    </div>
  );
}
