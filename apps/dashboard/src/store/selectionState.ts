/** Which rows of a list are chosen. `allMatching` stands for every task of the list's filter, shown or not. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly allMatching: boolean;
  /** Where Shift begins its range. */
  readonly anchor: string | null;
}

export const NO_SELECTION: Selection = { ids: new Set(), allMatching: false, anchor: null };

export function toggled(selection: Selection, id: string): Selection {
  const ids = new Set(selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { ids, allMatching: false, anchor: id };
}

/** Adds every row from the anchor to `id`, both included, in the order of `shown`. */
export function extendedTo(selection: Selection, id: string, shown: readonly string[]): Selection {
  const from = selection.anchor === null ? -1 : shown.indexOf(selection.anchor);
  const to = shown.indexOf(id);
  if (from < 0 || to < 0) return toggled(selection, id);
  const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...selection.ids, ...range]), allMatching: false, anchor: selection.anchor };
}

/** First press: all shown. Pressed again with all shown chosen: all that match. */
export function allSelected(selection: Selection, shown: readonly string[]): Selection {
  const already = shown.length > 0 && shown.every((id) => selection.ids.has(id));
  return { ids: new Set(shown), allMatching: already, anchor: selection.anchor };
}
