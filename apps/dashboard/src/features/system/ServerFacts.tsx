import type { Readiness } from '@galley/contract';
import type { ReactNode } from 'react';
import { formatCount, formatTime, UNKNOWN, useMessages } from '../../i18n/index.ts';
import { useServerNow, useStore } from '../../store/index.ts';
import { Facts, SectionHead } from '../../ui/index.ts';
import { system } from './messages.ts';

/** Whether the server is ready, and what it works with. */
export function ServerFacts({ readiness }: { readiness: Readiness | undefined }): ReactNode {
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
          { id: 'clock', label: messages.clock, value: now === null ? UNKNOWN : messages.clockNow(formatTime(now)) },
        ]}
      />
    </section>
  );
}

/** What was fixed when the shown queue was created. */
export function QueueFacts(): ReactNode {
  const messages = useMessages(system);
  const queue = useStore((state) => state.queue);
  const shards = useStore((state) => state.live.snapshot?.shards.length);
  const order = useStore((state) => state.live.snapshot?.order);
  const lockKeys = useStore((state) => state.live.snapshot?.lock_keys);
  return (
    <section>
      <SectionHead title={messages.queue} meta={messages.queueMeta} />
      <Facts
        label={messages.queue}
        facts={[
          { id: 'name', label: messages.name, value: queue },
          { id: 'shards', label: messages.shards, value: shards === undefined ? UNKNOWN : formatCount(shards) },
          { id: 'order', label: messages.order, value: order === undefined ? UNKNOWN : messages.orders[order] },
          { id: 'locks', label: messages.lockKeys, value: lockKeys === undefined ? UNKNOWN : lockKeys ? messages.on : messages.off },
        ]}
      />
    </section>
  );
}
