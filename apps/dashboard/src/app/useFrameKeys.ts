import { useEffect, useRef } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import { isSingleKey, type KeyBinding, keyBindings, matchStroke, nameOfStroke, useKeys } from '../registry/index.ts';
import { PATHS, useGo } from '../routing/index.ts';
import { useStore } from '../store/index.ts';
import { keys } from './keyMessages.ts';

export type Overlay = 'palette' | 'keys' | null;

const PREFIX_LASTS_MS = 1_200;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'range'].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function isOverlaid(): boolean {
  return document.querySelector('[role=dialog], [role=menu]') !== null;
}

/** Hears every key of the page and runs the binding it completes. */
function useKeyListener(): void {
  const prefix = useRef<{ keys: string; at: number } | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const name = nameOfStroke(event);
      if (name === null || event.defaultPrevented) return;
      const single = isSingleKey(name);
      if (single && (isTyping(event.target) || !useStore.getState().preferences.singleKeys)) return;
      if (!name.startsWith('Mod+') && (isOverlaid() || isTyping(event.target))) return;
      const all = keyBindings.all().flatMap((bindings) => bindings());
      const recent = prefix.current !== null && event.timeStamp - prefix.current.at < PREFIX_LASTS_MS ? prefix.current.keys : null;
      const match = matchStroke(all, recent, name);
      prefix.current = match.prefix === null ? null : { keys: match.prefix, at: event.timeStamp };
      if (match.binding === null) return;
      event.preventDefault();
      match.binding.run(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** The keys that work on every page. */
export function useFrameKeys(open: (overlay: Overlay) => void): void {
  const messages = useMessages(keys);
  const { page } = useMessages(common);
  const go = useGo();
  useKeyListener();
  const everywhere = (binding: Omit<KeyBinding, 'group'>): KeyBinding => ({ ...binding, group: 'everywhere' });
  useKeys([
    everywhere({ keys: 'Mod+k', label: messages.palette, run: () => open('palette') }),
    everywhere({
      keys: '/',
      label: messages.filter,
      run: () => {
        const field = document.querySelector<HTMLElement>('[data-filter-field]');
        if (field === null) open('palette');
        else field.focus();
      },
    }),
    everywhere({ keys: '?', label: messages.list, run: () => open('keys') }),
    everywhere({ keys: 'g o', label: page.overview, run: () => go(PATHS.overview) }),
    everywhere({ keys: 'g t', label: page.tasks, run: () => go(PATHS.tasks) }),
    everywhere({ keys: 'g u', label: page.upload, run: () => go(PATHS.upload) }),
    everywhere({ keys: 'g d', label: page.deadLetters, run: () => go(PATHS.deadLetters) }),
    everywhere({ keys: 'g s', label: page.system, run: () => go(PATHS.system) }),
  ]);
}
