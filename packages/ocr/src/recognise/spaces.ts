import { median, quantile } from '../geometry.ts';
import { isIdeographic } from '../layout/words.ts';
import type { Character } from './ctc.ts';
import type { LineReading } from './recogniser.ts';

/**
 * The network loses some of the spaces between Latin words. The ink shows them: a gap that is wide against the line's own
 * letter pitch is a space. How wide is learnt from the spaces that the network did see, on the line or else on the page.
 */
const DEFAULT_THRESHOLD = 0.52;
/** In type of even pitch thin letters stand in wide gaps. */
const MONOSPACED_THRESHOLD = 0.75;
/** Of the narrow ones among the spaces seen, this share is still a space. */
const LEARNT_SHARE = 0.8;
const LEAST_THRESHOLD = 0.42;
const MOST_THRESHOLD = 0.95;
/** Figures are of even width, and the points and commas between them stand in wide gaps. */
const NUMBER_THRESHOLD = 0.85;
const ENOUGH_SPACES = 3;
const PITCH_TOLERANCE = 0.12;

interface Spaced {
  characters: Character[];
  /** For each character: whether the network put a space before it. */
  seen: boolean[];
  /** For each character: the widest ink gap before it, in letter pitches; 0 for none. */
  gaps: number[];
  pitch: number;
  monospaced: boolean;
}

/** Distances between neighbours in a word, where both are letters or digits of an alphabet. */
function letterAdvances(characters: readonly Character[], seen: readonly boolean[]): number[] {
  const advances: number[] = [];
  for (let index = 1; index < characters.length; index++) {
    const [before, after] = [characters[index - 1], characters[index]];
    if (before === undefined || after === undefined || seen[index] === true) continue;
    if (isIdeographic(before.text) || isIdeographic(after.text)) continue;
    advances.push(after.step - before.step);
  }
  return advances;
}

/** Each gap belongs to the one pair of characters whose middle it is nearest to. */
function assignGaps(characters: readonly Character[], seen: readonly boolean[], reading: LineReading, pitch: number): number[] {
  const gaps = characters.map(() => 0);
  for (const [from, to] of reading.ink.gaps) {
    if (from === 0 || to >= reading.width || to - from < 0.3 * pitch) continue;
    const middle = (from + to) / 2;
    let [best, bestDistance] = [-1, pitch];
    for (let index = 1; index < characters.length; index++) {
      const centre = ((characters[index - 1]?.step ?? 0) + (characters[index]?.step ?? 0)) / 2;
      const away = Math.abs(centre - middle);
      if (away < bestDistance) [best, bestDistance] = [index, away];
    }
    if (best < 1) continue;
    // Characters are placed to within half a pitch: a space seen one place aside is the space of this gap.
    const beside = [best - 1, best + 1].find((index) => seen[index] === true && (gaps[index] ?? 0) === 0);
    const owner = seen[best] !== true && beside !== undefined && bestDistance > 0.35 * pitch ? beside : best;
    gaps[owner] = Math.max(gaps[owner] ?? 0, (to - from) / pitch);
  }
  return gaps;
}

function measure(reading: LineReading): Spaced {
  const characters: Character[] = [];
  const seen: boolean[] = [];
  let pending = false;
  for (const character of reading.characters) {
    if (character.text.trim() === '') {
      pending = true;
      continue;
    }
    characters.push(character);
    seen.push(pending && characters.length > 1);
    pending = false;
  }
  const advances = letterAdvances(characters, seen);
  const pitch = Math.max(1, median(advances));
  // In even pitch most steps are one pitch, up to the half step of the network's own raster.
  const even = advances.filter((advance) => Math.abs(advance - pitch) <= Math.max(4, PITCH_TOLERANCE * pitch)).length;
  const monospaced = advances.length >= 8 && pitch >= 16 && even / advances.length > 0.85;
  return { characters, seen, gaps: assignGaps(characters, seen, reading, pitch), pitch, monospaced };
}

function isLatinPair(line: Spaced, index: number): boolean {
  const [before, after] = [line.characters[index - 1], line.characters[index]];
  return before !== undefined && after !== undefined && !isIdeographic(before.text) && !isIdeographic(after.text);
}

function isWithinNumber(line: Spaced, index: number): boolean {
  return /^[\d.,:]{2}$/.test((line.characters[index - 1]?.text ?? '') + (line.characters[index]?.text ?? ''));
}

function seenGaps(line: Spaced): number[] {
  return line.gaps.filter((gap, index) => gap > 0 && line.seen[index] === true && isLatinPair(line, index));
}

function learn(gaps: readonly number[]): number {
  return Math.min(MOST_THRESHOLD, Math.max(LEAST_THRESHOLD, quantile(gaps, 0.1) * LEARNT_SHARE));
}

/** A character of a line that is no white space. */
export interface Glyph {
  text: string;
  /** White space stands before it. */
  space: boolean;
  /** Its middle, in pixels of the line picture. */
  step: number;
}

export function glyphsToText(glyphs: readonly Pick<Glyph, 'text' | 'space'>[]): string {
  return glyphs.map(({ text, space }, index) => (space && index > 0 ? ' ' : '') + text).join('');
}

/** The characters of a page's lines, with the spaces that their ink shows. */
export function placeSpaces(readings: readonly LineReading[]): Glyph[][] {
  const lines = readings.map(measure);
  const proportional = lines.filter(({ monospaced }) => !monospaced).flatMap(seenGaps);
  const even = lines.filter(({ monospaced }) => monospaced).flatMap(seenGaps);
  const fallback = {
    proportional: proportional.length >= ENOUGH_SPACES ? learn(proportional) : DEFAULT_THRESHOLD,
    even: even.length >= ENOUGH_SPACES ? learn(even) : MONOSPACED_THRESHOLD,
  };
  return lines.map((line) => {
    const own = seenGaps(line);
    const threshold = own.length >= ENOUGH_SPACES ? learn(own) : line.monospaced ? fallback.even : fallback.proportional;
    return line.characters.map(({ text, step }, index): Glyph => {
      const least = isWithinNumber(line, index) ? Math.max(threshold, NUMBER_THRESHOLD) : threshold;
      const space = line.seen[index] === true || (isLatinPair(line, index) && (line.gaps[index] ?? 0) >= least);
      return { text, space, step };
    });
  });
}
