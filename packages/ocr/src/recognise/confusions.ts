import { isIdeographic } from '../layout/words.ts';
import type { Glyph } from './spaces.ts';

/**
 * Mends what the network confuses by shape alone where the characters around it leave no doubt: a zero within a word of
 * letters, Chinese brackets as quotation marks in Latin text. Nothing is looked up; codes that mix letters and figures stay.
 */
function wordsOf(glyphs: readonly Glyph[]): Glyph[][] {
  const words: Glyph[][] = [];
  for (const glyph of glyphs) {
    const word = words.at(-1);
    const joins = word !== undefined && !glyph.space && /[\p{L}\d]/u.test(glyph.text) && /[\p{L}\d]/u.test(word.at(-1)?.text ?? '');
    if (joins) word.push(glyph);
    else words.push([glyph]);
  }
  return words;
}

function mendZero(word: readonly Glyph[]): Glyph[] {
  const letters = word.filter(({ text }) => /\p{Script=Latin}/u.test(text));
  if (letters.length < 2 || letters.length !== word.length - 1) return [...word];
  return word.map((glyph, index) => {
    if (glyph.text !== '0') return glyph;
    const before = word[index - 1]?.text ?? '';
    return { ...glyph, text: /\p{Ll}/u.test(before) ? 'o' : 'O' };
  });
}

const LATIN_QUOTES: Readonly<Record<string, string>> = { '《': '«', '》': '»' };

export function mendConfusions(glyphs: readonly Glyph[]): Glyph[] {
  const hasIdeographs = glyphs.some(({ text }) => isIdeographic(text) && LATIN_QUOTES[text] === undefined);
  const mended = wordsOf(glyphs).flatMap(mendZero);
  return hasIdeographs ? mended : mended.map((glyph) => ({ ...glyph, text: LATIN_QUOTES[glyph.text] ?? glyph.text }));
}

const STRAIGHT = '"';
const CURLY = /^[“”]$/u;

/** Two different marks in one place are one that the network saw twice. */
function withoutEchoes(glyphs: readonly Glyph[]): Glyph[] {
  return glyphs.filter(({ text, space }, index) => {
    const before = glyphs[index - 1]?.text ?? '';
    return space || !((text === STRAIGHT && CURLY.test(before)) || (CURLY.test(text) && before === STRAIGHT));
  });
}

/** The quotation marks of a page's Latin lines are all straight or all curly, as most of them were read. */
export function mendQuotes(lines: readonly (readonly Glyph[])[]): Glyph[][] {
  const isLatin = (glyphs: readonly Glyph[]): boolean => !glyphs.some(({ text }) => isIdeographic(text));
  const marks = lines.filter(isLatin).flatMap((glyphs) => glyphs.map(({ text }) => text));
  const [straight, curly] = [marks.filter((text) => text === STRAIGHT).length, marks.filter((text) => CURLY.test(text)).length];
  return lines.map((glyphs) => {
    if (straight === 0 || curly === 0 || !isLatin(glyphs)) return [...glyphs];
    return withoutEchoes(glyphs).map((glyph, index) => {
      if (glyph.text !== STRAIGHT && !CURLY.test(glyph.text)) return glyph;
      if (straight >= curly) return { ...glyph, text: STRAIGHT };
      return { ...glyph, text: glyph.space || index === 0 ? '“' : '”' };
    });
  });
}
