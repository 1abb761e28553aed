import type { DeadLetterList, Task } from '@galley/contract';
import type { Selection } from '../../store/index.ts';

export interface Group {
  readonly code: string;
  readonly count: number;
  /** Per hour, oldest first, the hour that runs last. */
  readonly trend: readonly number[];
}

export const TREND_HOURS = 12;

/** Dead letters by code, the most first. */
export function groupsOf(byCode: DeadLetterList['by_code']): readonly Group[] {
  return Object.entries(byCode)
    .filter(([, { count }]) => count > 0)
    .map(([code, { count, per_hour }]) => ({ code, count, trend: per_hour.slice(-TREND_HOURS) }))
    .sort((a, b) => b.count - a.count || a.code.localeCompare(b.code));
}

/** Whether the wire tells of just these groups. */
export function agrees(told: Readonly<Record<string, number>>, groups: readonly Group[]): boolean {
  const counts = Object.entries(told).filter(([, count]) => count > 0);
  return counts.length === groups.length && groups.every(({ code, count }) => told[code] === count);
}

export function totalOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** How many died in the hour that runs. */
export function newOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { trend }) => sum + (trend.at(-1) ?? 0), 0);
}

/** The code that a dead letter died of; the last error is the one that killed it. */
export function codeOf(task: Task): string {
  return task.errors.at(-1)?.code ?? 'unknown_error';
}

/** In the selection a whole group stands as one entry. */
const GROUP_PREFIX = 'code:';
export const groupEntry = (code: string): string => `${GROUP_PREFIX}${code}`;

export interface Chosen {
  readonly codes: readonly string[];
  readonly ids: readonly string[];
  readonly count: number;
}

/** What a selection stands for: whole groups, and single dead letters beside them. */
export function chosenOf(selection: Selection, groups: readonly Group[]): Chosen {
  const codes = groups.filter(({ code }) => selection.ids.has(groupEntry(code)));
  const ids = [...selection.ids].filter((id) => !id.startsWith(GROUP_PREFIX));
  return { codes: codes.map(({ code }) => code), ids, count: totalOf(codes) + ids.length };
}

/** A group chosen or given back; its single dead letters then go with it. */
export function groupToggled(selection: Selection, code: string, shown: readonly string[]): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(groupEntry(code))) ids.add(groupEntry(code));
  for (const id of shown) ids.delete(id);
  return { ids, allMatching: false, anchor: null };
}

/** A dead letter chosen or given back; one taken out of a chosen group leaves the shown others chosen. */
export function taskToggled(selection: Selection, id: string, code: string, shown: readonly string[]): Selection {
  const ids = new Set(selection.ids);
  if (ids.delete(groupEntry(code))) {
    for (const other of shown) if (other !== id) ids.add(other);
  } else if (!ids.delete(id)) ids.add(id);
  return { ids, allMatching: false, anchor: id };
}

/** Ids in parts of what one request takes. */
export function partsOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}
