import { IDS_PER_ACTION } from '@galley/contract';
import { purgeDeadLetters, retryDeadLetters } from '../../api/index.ts';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { useStore } from '../../store/index.ts';
import { showToast } from '../../ui/index.ts';
import { partsOf } from './groups.model.ts';
import { dead } from './messages.ts';

export type Verb = 'retry' | 'purge';

/** Everything, whole codes, or single dead letters. */
export interface Aim {
  readonly all?: boolean;
  readonly codes?: readonly string[];
  readonly ids?: readonly string[];
}

export interface Skipped {
  readonly task_id: string;
  readonly code: string;
}

type Messages = (typeof dead)['en'];

function report(verb: Verb, done: number, messages: Messages): void {
  if (done === 0) return;
  const one = verb === 'retry' ? messages.done.retryOne : messages.done.purgeOne;
  showToast({ kind: 'done', sentence: done === 1 ? one : messages.done[verb](formatCount(done)) });
}

/** Follows an operation across pages; its end is a toast. */
function follow(verb: Verb, operationId: string, messages: Messages, onEnd: () => void): void {
  useStore.getState().operationTracked({
    operationId,
    label: messages.working[verb],
    onEnd: ({ state, done, total }) => {
      onEnd();
      if (state === 'done') report(verb, done, messages);
      else showToast({ kind: 'failed', sentence: messages.stopped(formatCount(done), formatCount(total)) });
    },
  });
}

/**
 * Retries or purges; throws what the server refuses. `onSkipped` hears of single ones that were left as they were, `onEnd` of each
 * operation that has ended.
 */
export function useAct(onSkipped: (skipped: readonly Skipped[]) => void, onEnd: () => void): (verb: Verb, aim: Aim) => Promise<void> {
  const messages = useMessages(dead);
  const queue = useStore((state) => state.queue);
  return async (verb, { all = false, codes = [], ids = [] }) => {
    const call = verb === 'retry' ? retryDeadLetters : purgeDeadLetters;
    for (const code of all ? [undefined] : codes) {
      const answer = await call({ all: true, queue, ...(code === undefined ? {} : { code }) });
      if ('operation_id' in answer) follow(verb, answer.operation_id, messages, onEnd);
    }
    const skipped: Skipped[] = [];
    for (const part of partsOf(ids, IDS_PER_ACTION)) {
      const answer = await call({ task_ids: [...part] });
      if ('skipped' in answer) skipped.push(...answer.skipped);
    }
    report(verb, ids.length - skipped.length, messages);
    if (skipped.length === 0) return;
    showToast({
      kind: 'failed',
      sentence: messages.skipped(formatCount(skipped.length), formatCount(ids.length)),
      action: { label: messages.seeWhy, run: () => onSkipped(skipped) },
    });
  };
}
