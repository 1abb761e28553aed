import type { TaskView } from '@galley/core';
import { shownFileName } from '../documents/file-name.ts';
import { payloadFacts } from './task-answer.ts';

/** Characters of a stem; what a file system takes is some 255 bytes, its ending included. */
const LONGEST_STEM = 120;

/** The last part of a path or an address, without what some system would take for a path, a drive or a wildcard, or would hide. */
function bareName(name: string): string {
  const path = /^https?:/i.test(name) ? name.replace(/[?#].*$/s, '').replace(/^https?:\/*[^/]*/i, '') : name;
  const last = path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  if (last === '') return '';
  return shownFileName(last)
    .replace(/\p{Surrogate}/gu, '_')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^\.+/, '');
}

export interface NameFacts {
  /** What the document was called when it came, or its address. */
  readonly name: string | undefined;
  /** What it is called where that leaves nothing. */
  readonly id: string;
  /** From 1; null for the whole document. */
  readonly page: number | null;
  /** Without the dot. */
  readonly extension: string;
}

/** The document's own name with another ending, such as `letter.txt`; a page's says which, as `letter-page-3.txt`. */
export function resultFileName({ name, id, page, extension }: NameFacts): string {
  const stem = name === undefined ? '' : bareName(name).replace(/\.[^.]*$/, '');
  const short = Array.from(stem)
    .slice(0, LONGEST_STEM)
    .join('')
    .replace(/[. ]+$/, '');
  return `${short === '' ? id : short}${page === null ? '' : `-page-${page}`}.${extension}`;
}

/** What a result of the task is called where it is kept. `parent`: the document of a page task; `page`: where it is of one page. */
export function downloadName(task: TaskView, parent: TaskView | null, extension: string, page: number | null = task.childNumber): string {
  const document = parent ?? task;
  return resultFileName({ name: payloadFacts(document).filename, id: document.id, page, extension });
}

/**
 * A Content-Disposition with that name (RFC 6266). Other letters than ASCII's travel as RFC 5987's `filename*`, beside a name without
 * them for clients that do not know it.
 */
export function disposition(kind: 'attachment' | 'inline', name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^ -~]/gu, '_')
    .replace(/["\\%]/g, '_');
  const header = `${kind}; filename="${plain}"`;
  if (plain === name) return header;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${header}; filename*=UTF-8''${encoded}`;
}
