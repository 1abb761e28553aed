import type { TaskState } from '@galley/contract';

/**
 * How far a file is.
 *   - `queued`: waits for its turn · `uploading`: on its way
 *   - `accepted`, `duplicate`: the server answered with a task · `refused`: it said why not
 *   - `failed`: nothing answered, or it could not · `stopped`: the person stopped it
 */
export type UploadState = 'queued' | 'uploading' | 'accepted' | 'duplicate' | 'refused' | 'failed' | 'stopped';

/** The task that a file became, as last told. */
export interface UploadedTask {
  readonly id: string;
  readonly status: TaskState;
  /** The name of the file that the task was made of, where it is known. */
  readonly filename?: string | undefined;
  readonly pages?: { readonly total: number; readonly done: number; readonly failed: number } | undefined;
  /** Code of its last error. */
  readonly code?: string | undefined;
}

export interface Upload {
  /** Its place in the list of all, from 0. */
  readonly id: number;
  /** With a slash at its end; empty for a file dropped by itself. */
  readonly folder: string;
  readonly name: string;
  readonly size: number;
  readonly state: UploadState;
  /** Sent so far, 0 to 1. */
  readonly share: number;
  /** Counts up with each answer, so that the newest can stand first; 0 while there is none. */
  readonly answeredAs: number;
  readonly refusal?: { readonly code: string; readonly detail: string } | undefined;
  readonly task?: UploadedTask | undefined;
}

export type UploadCounts = Readonly<Record<UploadState, number>>;

export function countsOf(uploads: readonly Upload[]): UploadCounts {
  const counts = { queued: 0, uploading: 0, accepted: 0, duplicate: 0, refused: 0, failed: 0, stopped: 0 };
  for (const { state } of uploads) counts[state] += 1;
  return counts;
}

/** Files that the server, or its absence, has answered. */
export function answeredOf(counts: UploadCounts): number {
  return counts.accepted + counts.duplicate + counts.refused + counts.failed;
}

export const UPLOAD_TABS = ['all', 'look', 'uploading', 'accepted'] as const;
export type UploadTab = (typeof UPLOAD_TABS)[number];

const RANK: Readonly<Record<UploadState, number>> = {
  uploading: 0,
  refused: 1,
  failed: 1,
  duplicate: 2,
  stopped: 3,
  accepted: 4,
  queued: 5,
};
const SHOWN_IN: Readonly<Record<Exclude<UploadTab, 'all'>, readonly UploadState[]>> = {
  look: ['refused', 'failed', 'duplicate', 'stopped'],
  uploading: ['uploading', 'queued'],
  accepted: ['accepted'],
};

/** The files of a tab, by id: on their way, those that need a look, accepted ones newest first, then those to go. */
export function orderOf(uploads: readonly Upload[], tab: UploadTab): readonly number[] {
  const shown = tab === 'all' ? uploads : uploads.filter(({ state }) => SHOWN_IN[tab].includes(state));
  const newestFirst = (upload: Upload): number => (upload.state === 'accepted' ? -upload.answeredAs : upload.id);
  return [...shown].sort((a, b) => RANK[a.state] - RANK[b.state] || newestFirst(a) - newestFirst(b)).map(({ id }) => id);
}

export function tabCount(counts: UploadCounts, tab: UploadTab): number {
  const states = tab === 'all' ? (Object.keys(RANK) as UploadState[]) : SHOWN_IN[tab];
  // What waits for its turn stands in the list of those on their way, but is not on its way.
  return states.reduce((sum, state) => sum + (tab === 'uploading' && state === 'queued' ? 0 : counts[state]), 0);
}

/** An order that keeps what is under the pointer where it is: known files stay, new ones follow. */
export function keptOrder(shown: readonly number[], wanted: readonly number[]): readonly number[] {
  const known = new Set(shown);
  const still = new Set(wanted);
  return [...shown.filter((id) => still.has(id)), ...wanted.filter((id) => !known.has(id))];
}

/** What came from one folder: its name; null where the files come from several or from none. */
export function commonFolder(uploads: readonly Upload[]): string | null {
  const roots = new Set(uploads.map(({ folder }) => folder.split('/')[0] ?? ''));
  const [root = ''] = roots;
  return roots.size === 1 && root !== '' ? root : null;
}

export interface SpeedSample {
  /** ms. */
  readonly at: number;
  /** Bytes sent since the page was opened. */
  readonly bytes: number;
}

export const SPEED_WINDOW_MS = 8_000;

/** Bytes a second over the window; null until there is a second of it. */
export function speedOf(samples: readonly SpeedSample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < 1_000) return null;
  return ((last.bytes - first.bytes) / (last.at - first.at)) * 1_000;
}

/** Bytes of all files, and of those still to be sent. */
export function bytesOf(uploads: readonly Upload[]): { readonly total: number; readonly left: number } {
  let total = 0;
  let left = 0;
  for (const { size, state, share } of uploads) {
    total += size;
    if (state === 'queued') left += size;
    if (state === 'uploading') left += size * (1 - share);
  }
  return { total, left };
}
