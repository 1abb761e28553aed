import { isIdeographic } from '../layout/words.ts';
import type { InkProfile } from './ink.ts';

/** Where a line's characters stand in its picture and how large its type is. */
export interface TypeMeasure {
  /** From the tops of tall letters to the feet of hanging ones, as shares of the picture's height; may reach past 0 and 1. */
  top: number;
  bottom: number;
  /** Type size (em), as a share of the picture's height. */
  size: number;
  /** Thickness of strokes in type sizes: bold type is a third thicker than the regular of its kind. */
  weight: number;
}

/** In type sizes: small letters without their stems, what stems add above and below, capitals and figures, ideographs. */
const SMALL_LETTER = 0.48;
const TALL = 0.24;
const HANGING = 0.21;
const CAPITAL = 0.69;
const IDEOGRAPH = 0.92;

/** On shorter texts a capital or stem alone fills its rows; there the letters say which rows hold ink at all. */
const FEW = 8;
const TALL_LETTER = /[\p{Lu}\dbdfhklt()[\]{}|/&%$£€@'"“”‘’!?ß]/u;
const HANGING_LETTER = /[gjpqyQ()[\]{}|;,]/u;

function measureFew(text: string, [top, bottom]: readonly [number, number]): Omit<TypeMeasure, 'weight'> {
  const [tall, hanging] = [TALL_LETTER.test(text), HANGING_LETTER.test(text)];
  const size = (bottom - top) / (SMALL_LETTER + (tall ? TALL : 0) + (hanging ? HANGING : 0));
  return { top: tall ? top : top - TALL * size, bottom: hanging ? bottom : bottom + HANGING * size, size };
}

/** Infers the type size from the rows that are full of ink and from which letters made it: the body of small letters, or capitals. */
export function measureType(text: string, ink: Pick<InkProfile, 'rows' | 'core' | 'stroke'>): TypeMeasure {
  const measure = measureStand(text, ink);
  return { ...measure, weight: ink.stroke / Math.max(1e-3, measure.size) };
}

function measureStand(text: string, ink: Pick<InkProfile, 'rows' | 'core'>): Omit<TypeMeasure, 'weight'> {
  const characters = [...text].filter((character) => character !== ' ');
  const [top, bottom] = ink.rows;
  const ideographs = characters.filter(isIdeographic).length;
  if (ideographs > 0 && ideographs * 4 >= characters.length) return { top, bottom, size: (bottom - top) / IDEOGRAPH };
  if (characters.length < FEW) return measureFew(text, ink.rows);
  const [coreTop, coreBottom] = ink.core;
  const small = characters.filter((character) => /\p{Ll}/u.test(character)).length;
  const capitals = small * 3 < characters.length;
  const size = (coreBottom - coreTop) / (capitals ? CAPITAL : SMALL_LETTER);
  return { top: coreTop - (capitals ? 0 : TALL * size), bottom: coreBottom + HANGING * size, size };
}
