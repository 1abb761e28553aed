import { RESULT_FORMATS, type ResultFormat, type Task } from '@galley/contract';
import { ChevronDown, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { isFormatOffered, resultUrl, useResource } from '../../api/index.ts';
import { useMessages } from '../../i18n/index.ts';
import { Button, IconButton, Menu, MenuActions } from '../../ui/index.ts';
import { reader } from './messages.ts';

const ALWAYS: readonly ResultFormat[] = ['json', 'markdown', 'text'];

/** Asks the server which of the other formats it has; only once the menu is open. */
function Formats({ task }: { task: Task }): ReactNode {
  const messages = useMessages(reader);
  const finished = task.status === 'completed';
  const others = RESULT_FORMATS.filter((format) => !ALWAYS.includes(format));
  const { data } = useResource(`formats ${task.task_id}`, async (signal) => {
    const offered = await Promise.all(others.map((format) => isFormatOffered(task.task_id, format, signal)));
    return others.filter((_, index) => offered[index]);
  });
  return (
    <MenuActions
      items={[...ALWAYS, ...(data ?? [])].map((format) => ({
        id: format,
        label: messages.downloads[format],
        blocked: finished || format === 'json' ? undefined : messages.notFinished,
        onSelect: () => download(task, format),
      }))}
    />
  );
}

const EXTENSIONS: Readonly<Record<ResultFormat, string>> = {
  json: 'json',
  markdown: 'md',
  text: 'txt',
  hocr: 'hocr.html',
  alto: 'alto.xml',
  pdf: 'pdf',
};

function download(task: Task, format: ResultFormat): void {
  const link = document.createElement('a');
  link.href = resultUrl(task.task_id, format);
  link.download = `${(task.filename ?? task.task_id).replace(/\.[^.]+$/, '')}.${EXTENSIONS[format]}`;
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
      <Formats task={task} />
    </Menu>
  );
}
