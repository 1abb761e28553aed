import type { Worker } from '@galley/contract';
import type { ReactNode } from 'react';
import { common, formatBytes, formatCount, UNKNOWN, useFormats, useMessages } from '../i18n/index.ts';
import { Link, taskPath } from '../routing/index.ts';
import { useServerNow, useStore } from '../store/index.ts';
import { Cell, FileName, HeadCell, Slots, Table } from '../ui/index.ts';
import { workerMessages } from './workerMessages.ts';
import './workers.css';

function TasksNow({ worker, stuck }: { worker: Worker; stuck: ReadonlySet<string> }): ReactNode {
  const messages = useMessages(workerMessages);
  const first = worker.tasks.find((task) => stuck.has(task.task_id)) ?? worker.tasks[0];
  if (first === undefined) return <span className="worker-idle">{messages.idle}</span>;
  return (
    <span className="worker-tasks">
      <Link className="link" to={taskPath(first.task_id)}>
        <FileName name={first.filename ?? first.task_id} />
      </Link>
      {worker.tasks.length > 1 && <span className="worker-more">{messages.andMore(formatCount(worker.tasks.length - 1))}</span>}
    </span>
  );
}

function Row({ worker, stuck, now, lost }: { worker: Worker; stuck: ReadonlySet<string>; now: number | null; lost: boolean }): ReactNode {
  const { slotsBusy } = useMessages(common);
  const formats = useFormats();
  const held = worker.tasks.filter((task) => stuck.has(task.task_id)).length;
  return (
    <tr id={`worker-${worker.worker_id}`}>
      <Cell className="worker-id">
        <code className="type-code">{worker.worker_id}</code>
      </Cell>
      <Cell className="worker-queues">{worker.queues.join(', ')}</Cell>
      <Cell className="worker-slots">
        <Slots
          busy={worker.busy}
          slots={worker.slots}
          stuck={held}
          label={slotsBusy(formatCount(worker.busy), formatCount(worker.slots))}
        />
      </Cell>
      <Cell className="worker-now">
        <TasksNow worker={worker} stuck={stuck} />
      </Cell>
      <Cell number className="worker-heartbeat">
        {lost || now === null ? UNKNOWN : formats.relative(Date.parse(worker.heartbeat_at), Math.max(now, Date.parse(worker.heartbeat_at)))}
      </Cell>
      <Cell number className="worker-memory">
        {formatBytes(worker.rss_bytes)}
      </Cell>
      <Cell number className="worker-up">
        {now === null ? UNKNOWN : formats.whole(now - Date.parse(worker.started_at))}
      </Cell>
    </tr>
  );
}

function WorkerHead(): ReactNode {
  const messages = useMessages(workerMessages);
  return (
    <thead>
      <tr>
        <HeadCell>{messages.worker}</HeadCell>
        <HeadCell className="worker-queues">{messages.queues}</HeadCell>
        <HeadCell>{messages.slots}</HeadCell>
        <HeadCell>{messages.tasksNow}</HeadCell>
        <HeadCell number>{messages.heartbeat}</HeadCell>
        <HeadCell number>{messages.memory}</HeadCell>
        <HeadCell number className="worker-up">
          {messages.up}
        </HeadCell>
      </tr>
    </thead>
  );
}

export interface WorkerTableProps {
  workers: readonly Worker[];
  /** Tasks that hold a lock for longer than they should; their slot is drawn in `warn`. */
  stuck?: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Workers: how full each is, what it is at, and whether it is heard from. */
export function WorkerTable({ workers, stuck = NONE }: WorkerTableProps): ReactNode {
  const messages = useMessages(workerMessages);
  const now = useServerNow();
  const lost = useStore((state) => state.connection.freshness === 'lost');
  if (workers.length === 0) return <p className="workers-none type-control">{messages.none}</p>;
  return (
    <Table label={messages.title} className="workers">
      <WorkerHead />
      <tbody>
        {workers.map((worker) => (
          <Row key={worker.worker_id} worker={worker} stuck={stuck} now={now} lost={lost} />
        ))}
      </tbody>
    </Table>
  );
}
