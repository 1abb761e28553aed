import { isFinal } from '@galley/contract';
import { ArrowUp, Check, CircleDashed, CircleSlash, CircleX, Copy, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatBytes, formatCount, formatPercent, useMessages } from '../../i18n/index.ts';
import { Link, readerPath, taskPath } from '../../routing/index.ts';
import { useWatchedTask } from '../../store/index.ts';
import { FileName, ProgressBar, StateMark } from '../../ui/index.ts';
import { upload as messagesOf } from './messages.ts';
import type { Upload, UploadedTask, UploadState } from './upload.model.ts';
import { uploader } from './uploads.ts';

const mark = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;
const ICONS: Readonly<Record<UploadState, ReactNode>> = {
  queued: <CircleDashed {...mark} color="var(--ink-3)" />,
  uploading: <ArrowUp {...mark} color="var(--processing)" />,
  accepted: <Check {...mark} strokeWidth={2.5} color="var(--completed)" />,
  duplicate: <Copy {...mark} color="var(--ink-2)" />,
  refused: <CircleX {...mark} color="var(--dead)" />,
  failed: <TriangleAlert {...mark} color="var(--retrying)" />,
  stopped: <CircleSlash {...mark} color="var(--cancelled)" />,
};

/** The task of a file as it changes, kept in the uploader so that a row that is scrolled away and back knows it at once. */
function useFollowedTask(upload: Upload): UploadedTask | undefined {
  const { id, task } = upload;
  const followed = task !== undefined && (!isFinal(task.status) || task.filename === undefined) ? task.id : null;
  const live = useWatchedTask(followed);
  useEffect(() => {
    if (live === undefined) return;
    const { task_id, status, pages, errors, filename } = live;
    uploader.taskTold(id, { id: task_id, status, pages, code: errors.at(-1)?.code, filename: filename ?? '' });
  }, [id, live]);
  return task;
}

function TaskState({ task }: { task: UploadedTask }): ReactNode {
  const messages = useMessages(messagesOf);
  const words = useMessages(common);
  const error = useErrorWords();
  const state = words.state[task.status];
  const { pages } = task;
  const running = (task.status === 'processing' || task.status === 'waiting') && pages !== undefined && pages.total > 1;
  return (
    <span className="upload-task">
      <StateMark state={task.status} />
      {running ? messages.pagesDone(state, formatCount(pages.done), formatCount(pages.total)) : state}
      {task.status === 'dead_letter' && task.code !== undefined && <span className="upload-why">{error(task.code).title}</span>}
    </span>
  );
}

function Refusal({ upload }: { upload: Upload }): ReactNode {
  const messages = useMessages(messagesOf);
  const error = useErrorWords();
  const { code, detail } = upload.refusal ?? { code: '', detail: '' };
  const dropped = code === 'unreachable';
  const words = dropped ? messages.dropped(formatPercent(upload.share)) : (messages.refusal[code] ?? error(code).title);
  return (
    <span className={upload.state === 'refused' ? 'upload-refused' : 'upload-failed'}>
      {words}
      {!dropped && detail !== '' && detail !== words && (
        <span className="upload-why" lang="en">
          {detail}
        </span>
      )}
    </span>
  );
}

function State({ upload, task }: { upload: Upload; task: UploadedTask | undefined }): ReactNode {
  const messages = useMessages(messagesOf);
  switch (upload.state) {
    case 'queued':
      return <span className="upload-soft">{messages.toGo}</span>;
    case 'uploading':
      return <ProgressBar share={upload.share} label={messages.percentOf(upload.name)} />;
    case 'accepted':
      return task === undefined ? messages.accepted : <TaskState task={task} />;
    case 'duplicate':
      return task?.filename === undefined || task.filename === '' ? messages.sameAsTask : messages.sameAs(task.filename);
    case 'refused':
    case 'failed':
      return <Refusal upload={upload} />;
    case 'stopped':
      return <span className="upload-soft">{messages.stopped}</span>;
  }
}

function Action({ upload, task }: { upload: Upload; task: UploadedTask | undefined }): ReactNode {
  const messages = useMessages(messagesOf);
  const words = useMessages(common);
  const button = (label: string, run: () => void): ReactNode => (
    <button type="button" className="link" aria-label={`${label}, ${upload.name}`} onClick={run}>
      {label}
    </button>
  );
  switch (upload.state) {
    case 'queued':
      return <span className="upload-quiet">{button(messages.stop, () => uploader.stop(upload.id))}</span>;
    case 'uploading':
      return (
        <>
          <span className="upload-quiet">{button(messages.stop, () => uploader.stop(upload.id))}</span>
          <span className="upload-percent">{formatPercent(Math.round(upload.share * 100) / 100)}</span>
        </>
      );
    case 'failed':
      return button(words.retry, () => uploader.retry({ id: upload.id }));
    case 'stopped':
      return button(messages.sendNow, () => uploader.retry({ id: upload.id }));
    case 'refused':
      return <code className="type-code upload-code">{upload.refusal?.code}</code>;
    case 'accepted':
    case 'duplicate': {
      if (task === undefined) return null;
      const readable = task.status === 'completed';
      const label = readable ? messages.read : upload.state === 'duplicate' ? messages.openIt : messages.openTask;
      return (
        <Link to={readable ? readerPath(task.id) : taskPath(task.id)} className="link" aria-label={`${label}, ${upload.name}`}>
          {label}
        </Link>
      );
    }
  }
}

/** One file: what it is, how far it is or why not, and where it leads. */
export function UploadRow({ upload }: { upload: Upload }): ReactNode {
  const task = useFollowedTask(upload);
  return (
    <>
      <td className="upload-file">
        {ICONS[task?.status === 'dead_letter' ? 'refused' : upload.state]}
        <span className="upload-name">
          {upload.folder !== '' && <span className="upload-folder">{upload.folder}</span>}
          <FileName name={upload.name} />
        </span>
      </td>
      <td className="upload-size">{formatBytes(upload.size)}</td>
      <td className="upload-state">
        <State upload={upload} task={task} />
      </td>
      <td className="upload-action">
        <Action upload={upload} task={task} />
      </td>
    </>
  );
}
