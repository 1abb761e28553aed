import { useEffect } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { useKeys } from '../../registry/index.ts';
import { focusRow } from '../../ui/VirtualRows.tsx';
import { tasks } from './messages.ts';

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, [contenteditable], [role=dialog], [role=menu]') !== null
  );
}

/** The keys of a list (design §7), on the list that has the class `task-rows`. */
export function useListKeys(keys: {
  readonly order: readonly string[];
  readonly active: string | null;
  readonly setActive: (key: string) => void;
  readonly toggle: (key: string) => void;
  readonly extend: (key: string) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
  readonly take: () => void;
}): void {
  const messages = useMessages(tasks);
  const { order, active, setActive, selectAll, clear } = keys;
  const move = (step: 1 | -1): void => {
    const at = active === null ? (step === 1 ? -1 : order.length) : order.indexOf(active);
    const next = order[Math.min(order.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    setActive(next);
    focusRow(document.querySelector<HTMLElement>('.task-rows'), next);
  };
  useKeys([
    { keys: 'j', label: messages.keys.next, group: 'lists', run: () => move(1) },
    { keys: 'k', label: messages.keys.previous, group: 'lists', run: () => move(-1) },
    { keys: 'x', label: messages.keys.select, group: 'lists', run: () => active !== null && keys.toggle(active) },
    { keys: 'Shift+x', label: messages.keys.range, group: 'lists', run: () => active !== null && keys.extend(active) },
    { keys: 'Home', label: messages.keys.take, group: 'lists', run: keys.take },
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (inField(event.target) || document.querySelector('[role=dialog], [role=menu]') !== null) return;
      // By itself and not by useKeys: in a field Ctrl a means the field's text.
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') {
        event.preventDefault();
        selectAll();
      } else if (event.key === 'Escape') clear();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [selectAll, clear]);
}
