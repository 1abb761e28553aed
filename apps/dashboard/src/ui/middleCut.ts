const TAIL = 12;
/** A name that is read from right to left is cut to so many characters, whatever room there is. */
const RIGHT_TO_LEFT_MOST = 36;

/** Invisible marks that change the order in which what follows is read: in a name they hide what kind of file it is. */
const ORDER_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Signs of several that are seen as one: accents set apart, flags, joined pictures. */
const JOINED = /[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]/u;

/** A file's name as it is shown: without marks that turn its order round. */
export function shownName(name: string): string {
  return name.replace(ORDER_MARKS, '');
}

/** What a person sees as single characters. */
function charactersOf(text: string): readonly string[] {
  if (!JOINED.test(text)) return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/**
 * A name in two: what may be cut, and the last 12 characters at least, which stay. One that is read from right to left stays in one
 * piece, since its letters join and its end stands left; cut here where it is long.
 */
export function splitName(name: string): { readonly head: string; readonly tail: string } {
  const characters = charactersOf(name);
  if (RIGHT_TO_LEFT.test(name)) {
    if (characters.length <= RIGHT_TO_LEFT_MOST) return { head: '', tail: name };
    const head = characters.slice(0, RIGHT_TO_LEFT_MOST - TAIL - 1).join('');
    return { head: '', tail: `${head}…${characters.slice(-TAIL).join('')}` };
  }
  if (characters.length <= TAIL) return { head: '', tail: name };
  return { head: characters.slice(0, -TAIL).join(''), tail: characters.slice(-TAIL).join('') };
}

const TITLE_MOST = 96;
const TITLE_TAIL = 24;

/** A name for a title, which wraps: cut in the middle only where it would fill a phone's whole page. */
export function titleName(name: string): string {
  const characters = charactersOf(name);
  if (characters.length <= TITLE_MOST) return name;
  return `${characters.slice(0, TITLE_MOST - TITLE_TAIL - 1).join('')}…${characters.slice(-TITLE_TAIL).join('')}`;
}

/** An id for lists: the first 12, an ellipsis, the last 6; whole where that saves nothing. */
export function shortId(id: string): string {
  return id.length <= 21 ? id : `${id.slice(0, 12)}…${id.slice(-6)}`;
}
