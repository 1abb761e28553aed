import type { ResultFormat, Task } from '@galley/contract';
import { ChevronDown, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { getReadiness, resultUrl, useResource } from '../../api/index.ts';
import { useMessages } from '../../i18n/index.ts';
import { Button, IconButton, Menu, MenuActions } from '../../ui/index.ts';
import { reader } from './messages.ts';

/** What every server has, until this one has told. */
const ALWAYS: readonly ResultFormat[] = ['json'];

function Formats({ task, formats }: { task: Task; formats: readonly ResultFormat[] }): ReactNode {
  const messages = useMessages(reader);
  const finished = task.status === 'completed';
  return (
    <MenuActions
      items={formats.map((format) => ({
        id: format,
        label: messages.downloads[format],
        blocked: finished || format === 'json' ? undefined : messages.notFinished,
        onSelect: () => download(task, format),
      }))}
    />
  );
}

function download(task: Task, format: ResultFormat): void {
  const link = document.createElement('a');
  link.href = resultUrl(task.task_id, format);
  // Without a name: the server names the file, for whoever asks it.
  link.download = '';
  link.click();
}

/** Marks the button that Shift d presses. */
const OPENER = 'data-download';

export function openDownloads(): void {
  const opener = document.querySelector<HTMLElement>(`[${OPENER}]`);
  // As by the keyboard: a menu that has been open before hears keys and pointers, not clicks.
  opener?.focus();
  opener?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}

/** Every form of the result that the server has. `bare`: an icon alone, on a phone. */
export function DownloadMenu({ task, bare = false }: { task: Task; bare?: boolean }): ReactNode {
  const messages = useMessages(reader);
  const { data: readiness } = useResource('readiness', getReadiness);
  const mark = { [OPENER]: '' };
  const trigger = bare ? (
    <IconButton label={messages.download} icon={<Download />} {...mark} />
  ) : (
    <Button kind="primary" size="small" icon={<Download />} {...mark}>
      {messages.download}
      <ChevronDown size={14} strokeWidth={1.75} aria-hidden="true" />
    </Button>
  );
  return (
    <Menu label={messages.download} trigger={trigger} align="end">
      <Formats task={task} formats={readiness?.formats ?? ALWAYS} />
    </Menu>
  );
}
