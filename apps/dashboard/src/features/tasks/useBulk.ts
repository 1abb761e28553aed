import { IDS_PER_ACTION, type Task } from '@galley/contract';
import { actOnTasks } from '../../api/index.ts';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { type Selection, serverNow, useStore } from '../../store/index.ts';
import { showToast } from '../../ui/index.ts';
import { actionFilter, allows, type BulkAction, type TaskFilter } from './filter.model.ts';
import { tasks } from './messages.ts';

type Messages = (typeof tasks)['en'];

/** What an action is about to touch. */
export interface BulkAim {
  readonly selection: Selection;
  readonly filter: TaskFilter;
  /** How many; null where nobody has counted what matches. */
  readonly count: number | null;
  readonly rows: readonly Task[];
}

/** Why an action cannot do anything to what is selected; undefined where it can. */
export function blockedReason(action: BulkAction, { selection, filter, rows }: BulkAim, messages: Messages): string | undefined {
  const states = selection.allMatching
    ? filter.states
    : rows.filter(({ task_id }) => selection.ids.has(task_id)).map(({ status }) => status);
  // Without a filter of states every state may be among what matches.
  if (states.length === 0 && selection.allMatching) return undefined;
  return states.some((state) => allows(action, state)) ? undefined : messages.blocked[action];
}

/** How many of the selected ones run now, as far as the page knows. */
export function runningOf({ selection, rows }: BulkAim): number {
  if (selection.allMatching) return 0;
  return rows.filter(({ task_id, status }) => selection.ids.has(task_id) && status === 'processing').length;
}

function follow(action: BulkAction, operationId: string, messages: Messages): void {
  useStore.getState().operationTracked({
    operationId,
    label: messages.working[action],
    onEnd: ({ state, done, total }) => {
      const sentence = messages.done[action](formatCount(done));
      const left = total - done;
      if (state === 'failed') showToast({ kind: 'failed', sentence: messages.stopped(formatCount(done), formatCount(total)) });
      else showToast({ kind: 'done', sentence: left > 0 ? messages.andLeft(sentence, formatCount(left)) : sentence });
    },
  });
}

/** Does an action to everything that matches, or to the selected ones in parts; each part is an operation that the frame follows. */
export function useBulk(): (action: BulkAction, aim: BulkAim, priority?: number) => Promise<void> {
  const messages = useMessages(tasks);
  const queue = useStore((state) => state.queue);
  return async (action, { selection, filter }, priority) => {
    const extra = priority === undefined ? {} : { priority };
    if (selection.allMatching) {
      const { operation_id } = await actOnTasks({ action, filter: actionFilter(filter, queue, serverNow() ?? Date.now()), ...extra });
      follow(action, operation_id, messages);
      return;
    }
    const ids = [...selection.ids];
    for (let from = 0; from < ids.length; from += IDS_PER_ACTION) {
      const part = ids.slice(from, from + IDS_PER_ACTION);
      const { operation_id } = await actOnTasks({ action, filter: { queue, task_ids: part }, ...extra });
      follow(action, operation_id, messages);
    }
  };
}
