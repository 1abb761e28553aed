import { isFinal, isLive, type PageState, PRIORITY_BANDS, PRIORITY_PRESETS, type PriorityBand, type Task } from '@galley/contract';
import { ArrowUpDown, Ban, BookOpen, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { asApiError, cancelTask, deleteTask, reprioritizeTask, retryDeadLetters } from '../../api/index.ts';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { Link, PATHS, readerPath, useGo } from '../../routing/index.ts';
import { useStore } from '../../store/index.ts';
import { Button, ConfirmDialog, Menu, MenuActions, PriorityBars, showToast } from '../../ui/index.ts';
import { task as messagesOf } from './messages.ts';
import { isReadable } from './useTask.ts';

function PriorityMenu({ task, blocked }: { task: Task; blocked: string | undefined }): ReactNode {
  const messages = useMessages(messagesOf);
  const words = useMessages(common);
  const button = (
    <Button icon={<ArrowUpDown />} blocked={blocked}>
      {messages.changePriority}
    </Button>
  );
  if (blocked !== undefined) return button;
  const move = async (band: PriorityBand): Promise<void> => {
    try {
      await reprioritizeTask(task.task_id, PRIORITY_PRESETS[band]);
      showToast({ kind: 'done', sentence: messages.moved(`${words.priority[band]} ${PRIORITY_PRESETS[band]}`) });
    } catch (error) {
      showToast({ kind: 'failed', sentence: asApiError(error).message });
    }
  };
  return (
    <Menu label={messages.changePriority} trigger={button} align="end">
      <MenuActions
        items={PRIORITY_BANDS.map((band) => ({
          id: band,
          label: words.priority[band],
          icon: <PriorityBars band={band} />,
          hint: PRIORITY_PRESETS[band],
          onSelect: () => void move(band),
        }))}
      />
    </Menu>
  );
}

type Asked = 'cancel' | 'remove' | null;

function Questions({ task, name, asked, onClose }: { task: Task; name: string; asked: Asked; onClose: () => void }): ReactNode {
  const messages = useMessages(messagesOf);
  const go = useGo();
  if (asked === 'cancel')
    return (
      <ConfirmDialog
        open
        onClose={onClose}
        title={messages.cancelTitle}
        description={messages.cancelText(name)}
        keep={messages.keep}
        confirm={messages.cancel}
        onConfirm={async () => {
          await cancelTask(task.task_id);
          showToast({ kind: 'done', sentence: messages.cancelled });
        }}
      />
    );
  if (asked === 'remove')
    return (
      <ConfirmDialog
        open
        onClose={onClose}
        title={messages.removeTitle}
        description={messages.removeText(name)}
        keep={messages.keep}
        confirm={messages.remove}
        phrase={messages.phrase}
        onConfirm={async () => {
          await deleteTask(task.task_id);
          showToast({ kind: 'done', sentence: messages.removed(name) });
          go(PATHS.tasks);
        }}
      />
    );
  return null;
}

function useRetry(task: Task): () => void {
  const messages = useMessages(messagesOf);
  const words = useErrorWords();
  const retry = async (): Promise<void> => {
    try {
      const answer = await retryDeadLetters({ task_ids: [task.task_id] });
      const skipped = 'skipped' in answer ? answer.skipped[0] : undefined;
      if (skipped === undefined) showToast({ kind: 'done', sentence: messages.retried });
      else showToast({ kind: 'failed', sentence: messages.notRetried(words(skipped.code).title) });
    } catch (error) {
      showToast({ kind: 'failed', sentence: asApiError(error).message });
    }
  };
  return () => void retry();
}

/** What may be done with the task as it is now. A viewer only reads. */
export function Actions({ task, pages, name }: { task: Task; pages: readonly PageState[]; name: string }): ReactNode {
  const messages = useMessages(messagesOf);
  const words = useMessages(common);
  const role = useStore((state) => state.session.role);
  const lost = useStore((state) => state.connection.freshness === 'lost');
  const [asked, setAsked] = useState<Asked>(null);
  const retry = useRetry(task);
  const blocked = lost ? words.offlineOnly : undefined;
  const may = role !== 'viewer';
  const own = task.parent_id === undefined;
  const read = pages.filter(({ status, error }) => status === 'completed' && error === undefined).length;
  const reads = isLive(task.status) && read > 0 ? (read === 1 ? messages.readOne : messages.readPages(formatCount(read))) : messages.read;
  return (
    <>
      {may && own && isFinal(task.status) && (
        <Button kind="danger" icon={<Trash2 />} blocked={blocked} onClick={() => setAsked('remove')}>
          {messages.remove}
        </Button>
      )}
      {may && isLive(task.status) && (
        <Button icon={<Ban />} blocked={blocked} onClick={() => setAsked('cancel')}>
          {messages.cancel}
        </Button>
      )}
      {may && own && isLive(task.status) && <PriorityMenu task={task} blocked={blocked} />}
      {role === 'admin' && task.status === 'dead_letter' && (
        <Button kind="primary" icon={<RotateCw />} blocked={blocked} onClick={retry}>
          {messages.retry}
        </Button>
      )}
      {isReadable(task, pages) && (
        <Link to={readerPath(task.task_id)} className="button button--primary">
          <BookOpen aria-hidden="true" />
          {reads}
        </Link>
      )}
      <Questions task={task} name={name} asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}
