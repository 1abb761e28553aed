import { createContext, type ReactNode, useContext, useState } from 'react';
import { asApiError } from '../../api/index.ts';
import { errorWords } from '../../i18n/errors.ts';
import { formatCount, useLanguage, useMessages } from '../../i18n/index.ts';
import { Button, ConfirmDialog, Dialog, Id, showToast } from '../../ui/index.ts';
import { dead } from './messages.ts';
import { type Aim, type Skipped, useAct, type Verb } from './useActions.ts';

/** What a person is asked before it is done. */
export interface Question {
  readonly verb: Verb;
  readonly aim: Aim;
  readonly count: number;
  /** Codes that it touches, to say them and to warn where a retry will not help. */
  readonly codes: readonly string[];
}

interface Asking {
  readonly ask: (question: Question) => void;
  /** A single retry: nothing is lost by it, so it is not asked about. */
  readonly retryOne: (taskId: string) => void;
}

const AskingContext = createContext<Asking>({ ask: () => undefined, retryOne: () => undefined });

export function useAsking(): Asking {
  return useContext(AskingContext);
}

function useQuestionWords(question: Question): { title: string; text: string } {
  const messages = useMessages(dead);
  const language = useLanguage();
  const { verb, count, codes } = question;
  const digits = formatCount(count);
  const [code] = codes;
  const named = codes.length === 1 && code !== undefined ? messages.retryCode(code) : '';
  if (verb === 'purge') {
    return { title: count === 1 ? messages.purgeTitleOne : messages.purgeTitle(digits), text: `${named}${messages.purgeText}` };
  }
  const vain = codes.some((one) => !errorWords(one, language).revivable);
  return {
    title: count === 1 ? messages.retryTitleOne : messages.retryTitle(digits),
    text: `${named}${messages.retryText}${vain ? ` ${messages.retryAnyway}` : ''}`,
  };
}

function Confirm({ question, onClose, onConfirm }: { question: Question; onClose: () => void; onConfirm: () => Promise<void> }): ReactNode {
  const messages = useMessages(dead);
  const { title, text } = useQuestionWords(question);
  const digits = formatCount(question.count);
  const purge = question.verb === 'purge';
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title}
      description={text}
      keep={purge ? messages.keep : messages.leave}
      confirm={purge ? messages.purge(digits) : messages.retry(digits)}
      phrase={purge ? messages.phrase(digits) : undefined}
      danger={purge}
      onConfirm={onConfirm}
    />
  );
}

function SkippedDialog({ skipped, onClose }: { skipped: readonly Skipped[]; onClose: () => void }): ReactNode {
  const messages = useMessages(dead);
  const language = useLanguage();
  return (
    <Dialog
      open
      onClose={onClose}
      title={messages.skippedTitle}
      description={messages.skippedText}
      actions={<Button onClick={onClose}>{messages.leave}</Button>}
    >
      <ul className="skipped type-control">
        {skipped.map(({ task_id, code }) => (
          <li key={task_id}>
            <Id id={task_id} />
            <span>{errorWords(code, language).title}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/**
 * Asks before whatever touches more than one dead letter, does it, and says what was left out. `onDone`: it was done or begun.
 * `onChange`: the lists have changed, also when what was begun has ended.
 */
export function AskingProvider({
  children,
  onDone,
  onChange,
}: {
  children: ReactNode;
  onDone: () => void;
  onChange: () => void;
}): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null);
  const [skipped, setSkipped] = useState<readonly Skipped[] | null>(null);
  const act = useAct(setSkipped, onChange);
  const run = async (verb: Verb, aim: Aim): Promise<void> => {
    await act(verb, aim);
    onDone();
    onChange();
  };
  const asking: Asking = {
    ask: setQuestion,
    retryOne: (taskId) =>
      void run('retry', { ids: [taskId] }).catch((error: unknown) => showToast({ kind: 'failed', sentence: asApiError(error).message })),
  };
  return (
    <AskingContext value={asking}>
      {children}
      {question !== null && (
        <Confirm question={question} onClose={() => setQuestion(null)} onConfirm={() => run(question.verb, question.aim)} />
      )}
      {skipped !== null && <SkippedDialog skipped={skipped} onClose={() => setSkipped(null)} />}
    </AskingContext>
  );
}
