import { PRIORITY_BANDS, PRIORITY_PRESETS, type PriorityBand } from '@galley/contract';
import { ArrowUpDown, Ban, RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { useKeys } from '../../registry/index.ts';
import { useAdminBlocked } from '../../store/index.ts';
import { BulkBar, Button, ConfirmDialog, Menu, MenuActions, PriorityBars } from '../../ui/index.ts';
import type { BulkAction } from './filter.model.ts';
import { tasks } from './messages.ts';
import { type BulkAim, blockedReason, runningOf, useBulk } from './useBulk.ts';

type Question =
  | { readonly action: 'cancel'; readonly aim: BulkAim }
  | { readonly action: 'retry'; readonly aim: BulkAim }
  | { readonly action: 'reprioritize'; readonly aim: BulkAim; readonly band: PriorityBand };

interface Words {
  readonly title: string;
  readonly text: string;
  readonly keep: string;
  readonly confirm: string;
  readonly phrase?: string;
}

function useQuestionWords(question: Question): Words {
  const messages = useMessages(tasks);
  const words = useMessages(common);
  const { aim } = question;
  const { count } = aim;
  const digits = count === null ? null : formatCount(count);
  const pick = (some: string, one: string, many: (digits: string) => string): string =>
    digits === null ? some : count === 1 ? one : many(digits);
  if (question.action === 'cancel') {
    const running = runningOf(aim);
    const sentence = running === 0 ? '' : running === 1 ? messages.cancelRunningOne : messages.cancelRunning(formatCount(running));
    return {
      title: pick(messages.cancelTitleSome, messages.cancelTitleOne, messages.cancelTitle),
      text: sentence + messages.cancelText,
      keep: messages.keep,
      confirm: digits === null ? messages.cancelVerbSome : messages.cancelVerb(digits),
      ...(aim.selection.allMatching ? { phrase: digits === null ? messages.cancelPhraseSome : messages.cancelPhrase(digits) } : {}),
    };
  }
  if (question.action === 'retry') {
    return {
      title: pick(messages.retryTitleSome, messages.retryTitleOne, messages.retryTitle),
      text: messages.retryText,
      keep: messages.leave,
      confirm: digits === null ? messages.retryVerbSome : messages.retryVerb(digits),
    };
  }
  const priority = `${words.priority[question.band]} ${PRIORITY_PRESETS[question.band]}`;
  return {
    title: pick(messages.priorityTitleSome(priority), messages.priorityTitleOne(priority), (many) =>
      messages.priorityTitle(many, priority),
    ),
    text: messages.priorityText,
    keep: messages.leave,
    confirm: digits === null ? messages.priorityVerbSome : messages.priorityVerb(digits),
  };
}

function Confirm({ question, onClose, onDone }: { question: Question; onClose: () => void; onDone: () => void }): ReactNode {
  const words = useQuestionWords(question);
  const act = useBulk();
  const run = async (): Promise<void> => {
    await act(question.action, question.aim, question.action === 'reprioritize' ? PRIORITY_PRESETS[question.band] : undefined);
    onDone();
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={words.title}
      description={words.text}
      keep={words.keep}
      confirm={words.confirm}
      phrase={words.phrase}
      danger={question.action === 'cancel'}
      onConfirm={run}
    />
  );
}

/** Marks the button that `p` presses. */
const PRIORITY_BUTTON = 'bulk-priority';

/** What may be done with what is selected; asks with the count before it does it. */
export function BulkActions({ aim, onClear }: { aim: BulkAim; onClear: () => void }): ReactNode {
  const messages = useMessages(tasks);
  const words = useMessages(common);
  const adminBlocked = useAdminBlocked();
  const [question, setQuestion] = useState<Question | null>(null);
  const blocked = (action: BulkAction): string | undefined => adminBlocked ?? blockedReason(action, aim, messages);
  const ask = (action: 'cancel' | 'retry'): void => {
    if (blocked(action) === undefined) setQuestion({ action, aim });
  };
  useKeys([
    { keys: 'r', label: messages.retry, group: 'lists', run: () => ask('retry') },
    { keys: 'c', label: messages.cancel, group: 'lists', run: () => ask('cancel') },
    {
      keys: 'p',
      label: messages.changePriority,
      group: 'lists',
      run: () => {
        const button = document.getElementById(PRIORITY_BUTTON);
        button?.focus();
        button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      },
    },
  ]);
  const priorityBlocked = blocked('reprioritize');
  const priorityButton = (
    <Button id={PRIORITY_BUTTON} kind="quiet" icon={<ArrowUpDown />} blocked={priorityBlocked}>
      {messages.changePriority}
    </Button>
  );
  return (
    <>
      <BulkBar
        count={aim.count === null ? messages.selectedSome : messages.selected(formatCount(aim.count))}
        onClose={onClear}
        closeLabel={words.clearSelection}
      >
        {priorityBlocked === undefined ? (
          <Menu label={messages.changePriority} trigger={priorityButton} side="top">
            <MenuActions
              items={PRIORITY_BANDS.map((band) => ({
                id: band,
                label: words.priority[band],
                icon: <PriorityBars band={band} />,
                hint: PRIORITY_PRESETS[band],
                onSelect: () => setQuestion({ action: 'reprioritize', aim, band }),
              }))}
            />
          </Menu>
        ) : (
          priorityButton
        )}
        <Button kind="quiet" icon={<RotateCw />} blocked={blocked('retry')} onClick={() => ask('retry')}>
          {messages.retry}
        </Button>
        <Button kind="quiet" icon={<Ban />} blocked={blocked('cancel')} onClick={() => ask('cancel')}>
          {messages.cancel}
        </Button>
      </BulkBar>
      {question !== null && <Confirm question={question} onClose={() => setQuestion(null)} onDone={onClear} />}
    </>
  );
}
