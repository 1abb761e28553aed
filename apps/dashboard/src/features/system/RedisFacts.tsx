import type { System } from '@galley/contract';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatPercent, UNKNOWN, useFormats, useMessages } from '../../i18n/index.ts';
import { Alert, Facts, SectionHead } from '../../ui/index.ts';
import { system } from './messages.ts';

type Redis = System['redis'];

/** A value of Redis that may cost tasks, with its mark. */
function Doubtful({ text, wrong }: { text: string; wrong: boolean }): ReactNode {
  if (!wrong) return text;
  return (
    <span className="system-doubtful">
      <TriangleAlert size={14} strokeWidth={1.75} aria-hidden="true" />
      {text}
    </span>
  );
}

function useMemory({ memory_bytes: used, memory_limit_bytes: limit }: Redis): string {
  const messages = useMessages(system);
  const size = formatBytes(used);
  return limit === null ? messages.memoryFree(size) : messages.memoryOf(size, formatBytes(limit), formatPercent(used / limit));
}

/** How Redis is set where that may cost tasks: what may happen, and what to set. */
function Warnings({ redis }: { redis: Redis }): ReactNode {
  const messages = useMessages(system);
  const evicts = redis.eviction !== null && redis.eviction !== 'noeviction';
  const forgets = redis.append_fsync === 'off';
  const nearlyFull = redis.memory_limit_bytes !== null && redis.memory_bytes > 0.9 * redis.memory_limit_bytes;
  if (!evicts && !forgets && !nearlyFull) return null;
  return (
    <div className="system-warnings">
      {evicts && <Alert what={messages.evicts(redis.eviction ?? '')} why={messages.evictsWhy} />}
      {forgets && <Alert what={messages.forgets} why={messages.forgetsWhy} />}
      {nearlyFull && <Alert what={messages.nearlyFull} why={messages.nearlyFullWhy} />}
    </div>
  );
}

function RedisList({ redis }: { redis: Redis }): ReactNode {
  const messages = useMessages(system);
  const formats = useFormats();
  const memory = useMemory(redis);
  const { eviction, append_fsync: fsync } = redis;
  const known =
    fsync === 'off' || fsync === 'always' || fsync === 'everysec' || fsync === 'no' ? messages.fsync[fsync] : (fsync ?? UNKNOWN);
  return (
    <Facts
      label="Redis"
      facts={[
        {
          id: 'version',
          label: messages.version,
          value: `${redis.name} ${redis.version}${redis.mode === 'cluster' ? messages.inCluster(formatCount(redis.masters)) : ''}`,
        },
        { id: 'memory', label: messages.memory, value: memory },
        { id: 'peak', label: messages.memoryPeak, value: formatBytes(redis.memory_peak_bytes) },
        {
          id: 'eviction',
          label: messages.whenFull,
          value:
            eviction === null ? (
              UNKNOWN
            ) : (
              <Doubtful text={eviction === 'noeviction' ? messages.refuses : eviction} wrong={eviction !== 'noeviction'} />
            ),
        },
        { id: 'fsync', label: messages.onDisk, value: <Doubtful text={known} wrong={fsync === 'off'} /> },
        { id: 'clients', label: messages.clients, value: formatCount(redis.clients) },
        { id: 'uptime', label: messages.uptime, value: formats.whole(redis.uptime_ms) },
      ]}
    />
  );
}

/** What Redis is, how full it is, and whether it is set to keep what it is given. */
export function RedisFacts({ redis }: { redis: Redis | undefined }): ReactNode {
  const messages = useMessages(system);
  return (
    <section>
      <SectionHead title={messages.redis} meta={messages.redisMeta} />
      {redis !== undefined && <Warnings redis={redis} />}
      {redis !== undefined && <RedisList redis={redis} />}
    </section>
  );
}
