import { NO_SELECTION, type Selection, useStore } from '../../store/index.ts';

const LIST = 'dead-letters';

/** The page's selection; whole groups stand in it by their code. */
export function useChosen(): { selection: Selection; set: (selection: Selection) => void; clear: () => void } {
  const selection = useStore((state) => state.selections[LIST]) ?? NO_SELECTION;
  const set = useStore((state) => state.selectionSet);
  const clear = useStore((state) => state.selectionCleared);
  return { selection, set: (next) => set(LIST, next), clear: () => clear(LIST) };
}
