const TAIL = 12;

/** A name in two: what may be cut, and the last 12 characters at least, which stay. Counts characters, not code units. */
export function splitName(name: string): { readonly head: string; readonly tail: string } {
  const characters = Array.from(name);
  if (characters.length <= TAIL) return { head: '', tail: name };
  return { head: characters.slice(0, -TAIL).join(''), tail: characters.slice(-TAIL).join('') };
}

/** An id for lists: the first 12, an ellipsis, the last 6; whole where that saves nothing. */
export function shortId(id: string): string {
  return id.length <= 21 ? id : `${id.slice(0, 12)}…${id.slice(-6)}`;
}
