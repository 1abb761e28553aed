import { createRegistry, useRegistered } from './listed.ts';

/** One key, two in a row (`g o`), or one with modifiers (`Mod+k`, `Shift+x`). `Mod` is Ctrl, and ⌘ on a Mac. */
export interface KeyBinding {
  readonly keys: string;
  /** For the list that ? opens, in the page's language. */
  readonly label: string;
  /** The list's heading it stands under. */
  readonly group: 'everywhere' | 'lists' | 'reader' | 'upload';
  readonly run: (event: KeyboardEvent) => void;
}

export const keyBindings = createRegistry<() => readonly KeyBinding[]>();

/** Binds keys while the component is on the page. A later binding of the same keys wins over an earlier one. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useRegistered(keyBindings, bindings, (newest) => newest);
}

export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** A stroke as a binding writes it: `Mod+k`, `Shift+x`, `?`, `ArrowDown`. Null for a modifier alone or with Alt. */
export function nameOfStroke(stroke: Stroke): string | null {
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process'].includes(stroke.key) || stroke.altKey) return null;
  const letter = stroke.key.length === 1;
  const key = letter ? stroke.key.toLowerCase() : stroke.key;
  const mod = stroke.ctrlKey || stroke.metaKey ? 'Mod+' : '';
  // Shift makes another sign of a sign (? + [), but only another case of a letter.
  const shift = stroke.shiftKey && (!letter || /^\p{L}$/u.test(key)) ? 'Shift+' : '';
  return mod + shift + (key === ' ' ? 'Space' : key);
}

/** A single key without Ctrl, Alt or ⌘: those a person can switch off. */
export function isSingleKey(name: string): boolean {
  return !name.includes('Mod+') && !['Escape', 'Enter', 'Tab', 'Space', 'Home', 'End'].includes(name) && !name.startsWith('Arrow');
}

export interface KeyMatch {
  readonly binding: KeyBinding | null;
  /** What the next stroke may complete, such as `g`. */
  readonly prefix: string | null;
}

/** Finds the binding that a stroke completes, or the prefix it begins. Pure. `prefix`: what the stroke before left. */
export function matchStroke(bindings: readonly KeyBinding[], prefix: string | null, name: string): KeyMatch {
  const wanted = prefix === null ? name : `${prefix} ${name}`;
  const binding = bindings.findLast((one) => one.keys === wanted) ?? null;
  if (binding !== null) return { binding, prefix: null };
  const begins = bindings.some((one) => one.keys.startsWith(`${wanted} `));
  if (begins) return { binding: null, prefix: wanted };
  return prefix === null ? { binding: null, prefix: null } : matchStroke(bindings, null, name);
}
