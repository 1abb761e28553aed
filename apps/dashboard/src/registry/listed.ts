import { useEffect, useRef, useSyncExternalStore } from 'react';

/** A list that parts of the page add to and take from, and that one part reads. */
export interface Registry<T> {
  /** Adds; call what it returns to take it back. */
  add(item: T): () => void;
  all(): readonly T[];
  subscribe(listener: () => void): () => void;
}

export function createRegistry<T>(): Registry<T> {
  let items: readonly T[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly T[]): void => {
    items = next;
    for (const listener of listeners) listener();
  };
  return {
    add: (item) => {
      set([...items, item]);
      return () => set(items.filter((one) => one !== item));
    },
    all: () => items,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What a registry holds, and again whenever that changes. */
export function useRegistry<T>(registry: Registry<T>): readonly T[] {
  return useSyncExternalStore(registry.subscribe, registry.all);
}

/** Adds an item while the component is on the page. `wrap` makes it from a function that always answers the newest value. */
export function useRegistered<Value, Item>(registry: Registry<Item>, value: Value, wrap: (newest: () => Value) => Item): void {
  const newest = useRef(value);
  newest.current = value;
  const wrapOnce = useRef(wrap);
  useEffect(() => registry.add(wrapOnce.current(() => newest.current)), [registry]);
}
