import { type ReactNode, useEffect } from 'react';
import { listAudit, useResource } from '../../api/index.ts';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatCount, UNKNOWN, useMessages } from '../../i18n/index.ts';
import { useIsAdmin, useServerNow } from '../../store/index.ts';
import { Alert, Cell, HeadCell, RelativeTime, SectionHead, Table } from '../../ui/index.ts';
import { system } from './messages.ts';

const REFRESH_MS = 10_000;

function AuditTable({ actions }: { actions: number }): ReactNode {
  const messages = useMessages(system);
  const { role: roles } = useMessages(common);
  const now = useServerNow();
  const words = useErrorWords();
  const { data, error, reload } = useResource('audit', listAudit, REFRESH_MS);
  useEffect(() => {
    if (actions > 0) reload();
  }, [actions, reload]);
  if (data === undefined) {
    if (error === undefined) return null;
    const { title, remedy } = words(error.code);
    return (
      <div className="system-failed">
        <Alert kind="error" what={title} why={remedy} />
      </div>
    );
  }
  if (data.entries.length === 0) return <p className="system-none type-control">{messages.auditNone}</p>;
  return (
    <div className="system-audit">
      <Table label={messages.audit}>
        <thead>
          <tr>
            <HeadCell>{messages.at}</HeadCell>
            <HeadCell>{messages.who}</HeadCell>
            <HeadCell>{messages.action}</HeadCell>
            <HeadCell>{messages.detail}</HeadCell>
            <HeadCell number>{messages.tasks}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {data.entries.map((entry) => (
            <tr key={`${entry.at} ${entry.action} ${entry.detail}`}>
              <Cell>
                <RelativeTime at={entry.at} now={now} />
              </Cell>
              <Cell>{entry.user_id ?? roles[entry.role]}</Cell>
              <Cell>
                <code className="type-code">{entry.action}</code>
              </Cell>
              <Cell className="system-detail">{entry.detail}</Cell>
              <Cell number>{entry.count === undefined ? UNKNOWN : formatCount(entry.count)}</Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** What admins did. `actions`: how many were done on this page, each of which is shown at once. */
export function Audit({ actions }: { actions: number }): ReactNode {
  const messages = useMessages(system);
  const admin = useIsAdmin();
  return (
    <section>
      <SectionHead title={messages.audit} meta={messages.auditMeta} />
      {admin ? <AuditTable actions={actions} /> : <p className="system-none type-control">{messages.auditForbidden}</p>}
    </section>
  );
}
