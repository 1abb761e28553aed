import { type ReactNode, useEffect } from 'react';
import { getOperation, useResource } from '../api/index.ts';
import { common, formatCount, useMessages } from '../i18n/index.ts';
import { type TrackedOperation, useStore } from '../store/index.ts';
import { OperationBar } from '../ui/index.ts';

const REFRESH_MS = 2_000;

function Followed({ operation }: { operation: TrackedOperation }): ReactNode {
  const messages = useMessages(common);
  const told = useStore((state) => state.live.operations[operation.operationId]);
  const dropped = useStore((state) => state.operationDropped);
  // The wire tells of changes alone; asking now and then finds an operation that ended before this page heard of it.
  const { data: asked } = useResource(
    `operation ${operation.operationId}`,
    (signal) => getOperation(operation.operationId, signal),
    REFRESH_MS,
  );
  const newest = asked !== undefined && asked.state !== 'running' ? asked : (told ?? asked);
  const ended = newest !== undefined && newest.state !== 'running';
  useEffect(() => {
    if (!ended || newest === undefined || newest.state === 'running') return;
    dropped(operation.operationId);
    operation.onEnd({ state: newest.state, done: newest.done, total: newest.total });
  }, [ended, newest, operation, dropped]);
  const done = newest?.done ?? 0;
  const total = newest?.total ?? 0;
  return (
    <OperationBar
      label={operation.label}
      progress={total === 0 ? '' : messages.progress(formatCount(done), formatCount(total))}
      share={total === 0 ? 0 : done / total}
    />
  );
}

/** The bars of long operations; they stay across pages until the operations end. */
export function Operations(): ReactNode {
  const tracked = useStore((state) => state.tracked);
  if (tracked.length === 0) return null;
  return (
    <div className="operations">
      {tracked.map((operation) => (
        <Followed key={operation.operationId} operation={operation} />
      ))}
    </div>
  );
}
