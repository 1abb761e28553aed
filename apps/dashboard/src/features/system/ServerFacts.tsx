import type { Readiness, System } from '@galley/contract';
import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatTime, UNKNOWN, useFormats, useMessages } from '../../i18n/index.ts';
import { useServerNow, useStore } from '../../store/index.ts';
import { Facts, SectionHead } from '../../ui/index.ts';
import { system } from './messages.ts';

/** Whether the server is ready, and what it works with. */
export function ServerFacts({ readiness, system: known }: { readiness: Readiness | undefined; system: System | undefined }): ReactNode {
  const messages = useMessages(system);
  const now = useServerNow();
  const state =
    readiness === undefined ? UNKNOWN : readiness.status === 'ready' ? messages.ready : messages.notReady(readiness.reason ?? '');
  const redis = readiness === undefined ? UNKNOWN : readiness.redis === 'up' ? messages.redisUp : messages.redisAway;
  return (
    <section>
      <SectionHead title={messages.server} meta={messages.serverMeta} />
      <Facts
        label={messages.server}
        facts={[
          { id: 'state', label: messages.state, value: state },
          { id: 'redis', label: messages.redis, value: redis },
          { id: 'engines', label: messages.engines, value: readiness?.engines.join(', ') ?? UNKNOWN },
          { id: 'version', label: messages.version, value: readiness?.version ?? UNKNOWN },
          {
            id: 'files',
            label: messages.fileLimit,
            value: known === undefined ? UNKNOWN : <Setting value={formatBytes(known.max_file_bytes)} variable="GALLEY_MAX_FILE_BYTES" />,
          },
          { id: 'clock', label: messages.clock, value: now === null ? UNKNOWN : messages.clockNow(formatTime(now)) },
        ]}
      />
    </section>
  );
}

/** A setting with the variable that changes it. */
function Setting({ value, variable }: { value: string; variable: string }): ReactNode {
  return (
    <span className="system-setting">
      {value} <code className="type-code">{variable}</code>
    </span>
  );
}

/** What was fixed when the shown queue was created, and what this server goes by. */
export function QueueFacts({ system: known }: { system: System | undefined }): ReactNode {
  const messages = useMessages(system);
  const formats = useFormats();
  const queue = useStore((state) => state.queue);
  const facts = known?.queue;
  const told = (tell: (queue: System['queue']) => ReactNode): ReactNode => (facts === undefined ? UNKNOWN : tell(facts));
  const lasts = (value: number, variable: string): ReactNode => <Setting value={formats.whole(value)} variable={variable} />;
  return (
    <section>
      <SectionHead title={messages.queue} meta={messages.queueMeta} />
      <Facts
        label={messages.queue}
        facts={[
          { id: 'name', label: messages.name, value: queue },
          { id: 'shards', label: messages.shards, value: told(({ shards }) => formatCount(shards)) },
          { id: 'order', label: messages.order, value: told(({ order }) => messages.orders[order]) },
          { id: 'locks', label: messages.lockKeys, value: told((one) => (one.lock_keys ? messages.on : messages.off)) },
          { id: 'lease', label: messages.lease, value: told((one) => lasts(one.lease_ms, 'GALLEY_LEASE_MS')) },
          { id: 'retries', label: messages.retries, value: told((one) => formatCount(one.max_retries)) },
          {
            id: 'crashes',
            label: messages.crashes,
            value: told((one) => <Setting value={formatCount(one.crash_budget)} variable="GALLEY_CRASH_BUDGET" />),
          },
          { id: 'result', label: messages.resultKept, value: told((one) => lasts(one.result_ms, 'GALLEY_RESULT_MS')) },
          { id: 'retention', label: messages.retention, value: told((one) => lasts(one.retention_ms, 'GALLEY_RETENTION_MS')) },
          { id: 'dead', label: messages.deadRetention, value: told((one) => formats.whole(one.dead_retention_ms)) },
          {
            id: 'depth',
            label: messages.depthLimit,
            value: told(({ depth_limit: limit }) => (
              <Setting value={limit === 0 ? messages.noLimit : messages.tasksCounted(formatCount(limit))} variable="GALLEY_DEPTH_LIMIT" />
            )),
          },
        ]}
      />
    </section>
  );
}
