import { LIVE_STATES, type Task } from '@galley/contract';
import { Languages, Pause, Play, RotateCw } from 'lucide-react';
import { useMemo } from 'react';
import { listTasks, pauseQueue, resumeQueue, useResource } from '../api/index.ts';
import { errorWords } from '../i18n/errors.ts';
import { common, formatCount, LANGUAGE_NAMES, LANGUAGES, useLanguage, useMessages } from '../i18n/index.ts';
import { useShowFailure } from '../parts/failure.ts';
import { type Command, commandProviders, useRegistry } from '../registry/index.ts';
import { retryDeadPath, taskPath, tasksPath } from '../routing/index.ts';
import { useStore } from '../store/index.ts';
import { THEMES } from '../store/preferences.ts';
import { StateMark, shownName } from '../ui/index.ts';
import { frame } from './messages.ts';
import { NAV_ITEMS } from './navItems.tsx';
import { THEME_ICONS } from './PreferenceMenus.tsx';
import { palette } from './paletteMessages.ts';

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** What the frame itself offers: pages, states, pause, theme, language. */
export function useFrameCommands(): readonly Command[] {
  const messages = useMessages(palette);
  const words = useMessages(common);
  const { themes } = useMessages(frame);
  const queue = useStore((state) => state.queue);
  const paused = useStore((state) => state.live.snapshot?.paused === true);
  const counts = useStore((state) => state.live.snapshot?.counts);
  const preferred = useStore((state) => state.preferred);
  const showFailure = useShowFailure();
  return useMemo(
    () => [
      ...NAV_ITEMS.map(
        (item): Command => ({ id: item.page, group: 'goto', label: words.page[item.page], icon: item.icon(16), to: item.path }),
      ),
      ...LIVE_STATES.map(
        (state): Command => ({
          id: `state-${state}`,
          group: 'goto',
          label: messages.tasksThatAre(words.state[state]),
          icon: <StateMark state={state} />,
          hint: counts === undefined ? undefined : formatCount(counts[state]),
          to: tasksPath({ status: state }),
        }),
      ),
      {
        id: 'pause',
        group: 'actions',
        adminOnly: true,
        label: paused ? messages.resume(queue) : messages.pause(queue),
        icon: paused ? <Play {...icon} /> : <Pause {...icon} />,
        run: () => void (paused ? resumeQueue(queue) : pauseQueue(queue)).catch(showFailure),
      },
      ...THEMES.map(
        (theme): Command => ({
          id: `theme-${theme}`,
          group: 'actions',
          label: messages.toTheme(themes[theme]),
          icon: THEME_ICONS[theme],
          run: () => preferred({ theme }),
        }),
      ),
      ...LANGUAGES.map(
        (language): Command => ({
          id: `language-${language}`,
          group: 'actions',
          label: messages.toLanguage(LANGUAGE_NAMES[language]),
          icon: <Languages {...icon} />,
          run: () => preferred({ language }),
        }),
      ),
    ],
    [messages, words, themes, queue, paused, counts, preferred, showFailure],
  );
}

function taskCommand(task: Task, pages: (count: string) => string): Command {
  const facts = [task.user_id, task.pages === undefined ? undefined : pages(formatCount(task.pages.total))].filter(
    (fact) => fact !== undefined,
  );
  return {
    id: task.task_id,
    group: 'tasks',
    label: shownName(task.filename ?? task.task_id),
    hint: facts.join(', '),
    icon: <StateMark state={task.status} />,
    to: taskPath(task.task_id),
  };
}

/** Retries of dead letters: their page asks before it does them. */
export function useDeadLetterCommands(): readonly Command[] {
  const messages = useMessages(palette);
  const letters = useStore((state) => state.live.deadLetters);
  const language = useLanguage();
  return useMemo(() => {
    if (letters === null || letters.total === 0) return [];
    const command = (id: string, label: string, count: number, code?: string): Command => ({
      id,
      group: 'actions',
      adminOnly: true,
      asksFirst: true,
      label,
      hint: messages.tasks(formatCount(count)),
      icon: <RotateCw {...icon} />,
      to: retryDeadPath(code),
    });
    const codes = Object.entries(letters.by_code).filter(([code, count]) => count > 0 && errorWords(code, language).revivable);
    return [
      command('retry-dead', messages.retryDead, letters.total),
      ...codes.map(([code, count]) => command(`retry-dead-${code}`, messages.retryDeadOf(code), count, code)),
    ];
  }, [letters, messages, language]);
}

/** Tasks whose file name or id begins with the query; `#` before it is for ids. */
export function useTaskCommands(query: string): readonly Command[] {
  const messages = useMessages(palette);
  const queue = useStore((state) => state.queue);
  const wanted = query.replace(/^#/, '').trim();
  const { data } = useResource(wanted.length < 2 ? null : `palette ${queue} ${wanted}`, (signal) =>
    listTasks({ queue, q: wanted, limit: 6 }, signal),
  );
  return useMemo(() => (data?.tasks ?? []).map((task) => taskCommand(task, messages.pages)), [data, messages]);
}

/** What features have registered. */
export function useFeatureCommands(): readonly Command[] {
  const language = useLanguage();
  const providers = useRegistry(commandProviders);
  return useMemo(() => providers.flatMap((provider) => provider(language)), [providers, language]);
}
