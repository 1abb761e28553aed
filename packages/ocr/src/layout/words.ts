/** Characters that are written without spaces between words. */
const IDEOGRAPHIC = /[\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u3000-\u303f]/u;

export function isIdeographic(character: string): boolean {
  return IDEOGRAPHIC.test(character);
}

/** Whether a space belongs between two texts that follow each other. */
export function needsSpace(before: string, after: string): boolean {
  const [last, first] = [before.at(-1), after.at(0)];
  if (last === undefined || first === undefined || last === ' ' || first === ' ') return false;
  return !(IDEOGRAPHIC.test(last) && IDEOGRAPHIC.test(first));
}

/** Texts of one line, from left to right. */
export function joinPieces(texts: readonly string[]): string {
  return texts.reduce((line, text) => line + (needsSpace(line, text) ? ' ' : '') + text, '');
}

/** A hyphen at a line's end that broke a word: a letter before it, a small letter after it. */
export const BROKEN_WORD = /(\p{L}{2,})[-\u2010\u00ad]$/u;
const CONTINUES = /^\p{Ll}/u;

/** Lines of one paragraph as running text; words broken at a line's end are whole again. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (BROKEN_WORD.test(text) && CONTINUES.test(line)) return text.slice(0, -1) + line;
    return text + (needsSpace(text, line) ? ' ' : '') + line;
  }, '');
}
