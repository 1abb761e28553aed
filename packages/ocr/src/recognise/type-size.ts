import { isIdeographic } from '../layout/words.ts';

/** Where a line's characters stand in its picture and how large its type is. */
export interface TypeMeasure {
  /** From the tops of tall letters to the feet of hanging ones, as shares of the picture's height; may reach past 0 and 1. */
  top: number;
  bottom: number;
  /** Type size (em), as a share of the picture's height. */
  size: number;
}

/** Heights above and below the middle part of letters, and that part itself, in type sizes. */
const TALL = 0.24;
const HANGING = 0.21;
const MIDDLE = 0.48;
const IDEOGRAPH = 0.92;

const TALL_LETTER = /[\p{Lu}\dbdfhklt()[\]{}|/&%$£€@'"“”‘’!?ß]/u;
const HANGING_LETTER = /[gjpqyQ()[\]{}|;]/u;
/** A single tall or hanging letter on a long line leaves too little ink to be seen. */
const SEEN_SHARE = 0.03;

function has(characters: readonly string[], pattern: RegExp): boolean {
  const count = characters.filter((character) => pattern.test(character)).length;
  return count > 0 && count >= SEEN_SHARE * characters.length;
}

/** Infers the type size from the rows that hold ink and from which letters made it: "anno" is lower than "Apply" in the same type. */
export function measureType(text: string, rows: readonly [top: number, bottom: number]): TypeMeasure {
  const characters = [...text].filter((character) => character !== ' ');
  const [top, bottom] = rows;
  const ideographs = characters.filter(isIdeographic).length;
  if (ideographs > 0 && ideographs * 4 >= characters.length) return { top, bottom, size: (bottom - top) / IDEOGRAPH };
  const [tall, hanging] = [has(characters, TALL_LETTER), has(characters, HANGING_LETTER)];
  const size = (bottom - top) / (MIDDLE + (tall ? TALL : 0) + (hanging ? HANGING : 0));
  return { top: tall ? top : top - TALL * size, bottom: hanging ? bottom : bottom + HANGING * size, size };
}
