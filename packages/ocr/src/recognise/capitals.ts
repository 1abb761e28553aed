import { median } from '../geometry.ts';
import type { InkProfile } from './ink.ts';
import type { LineReading } from './recogniser.ts';
import { meanConfidence } from './recogniser.ts';
import type { Glyph } from './spaces.ts';

/**
 * Small capitals, and capitals set apart, come out of the network in mixed case. The ink tells: among small letters the tall
 * ones rise well above the others, capitals are all of one height.
 */
const SURE = 0.97;
/** Of a tall letter's height: small letters end about a third of it lower. */
const MOST_STEP = 0.12;
/** One low letter will do where capitals go on behind it within its word. */
const LEAST_PAIRS = 2;

const TALL = /[bdfhkl]/u;
const LOW = /[acemnorsuvwxz]/u;
const CAPITAL = /\p{Lu}/u;

interface Stand {
  readonly top: number;
  readonly foot: number;
}

/** Where the ink of each letter stands that has no other's ink above or below it, from left to right. */
function standsOf({ gaps, tops, feet }: InkProfile, width: number): Stand[] {
  const edges = [0, ...gaps.flat(), width];
  const stands: Stand[] = [];
  for (let index = 0; index + 1 < edges.length; index += 2) {
    const [from, to] = [edges[index] ?? 0, edges[index + 1] ?? 0];
    if (to > from) stands.push({ top: Math.min(...tops.subarray(from, to)), foot: Math.max(...feet.subarray(from, to)) });
  }
  return stands;
}

/** How much lower than the nearest tall letter or capital each low letter ends, as a share of the former's height. */
function stepsDown(glyphs: readonly Glyph[], stands: readonly Stand[]): number[] {
  const isTall = ({ text, space }: Glyph, index: number): boolean => TALL.test(text) || (CAPITAL.test(text) && !space && index > 0);
  const tall = glyphs.flatMap((glyph, index) => (isTall(glyph, index) ? [index] : []));
  if (tall.length === 0) return [];
  return glyphs.flatMap(({ text }, index) => {
    if (!LOW.test(text)) return [];
    const nearest = tall.reduce((best, other) => (Math.abs(other - index) < Math.abs(best - index) ? other : best));
    const [low, high] = [stands[index], stands[nearest]];
    return low === undefined || high === undefined ? [] : [(low.top - high.top) / Math.max(1, high.foot - high.top)];
  });
}

function isMixed(glyphs: readonly Glyph[]): boolean {
  return glyphs.some(({ text, space }, index) => CAPITAL.test(text) && !space && /\p{Ll}/u.test(glyphs[index - 1]?.text ?? ''));
}

/** The characters of a line that is all capitals, as capitals; any other line as it is. Only a line that was read with doubt is looked at. */
export function mendCapitals(glyphs: readonly Glyph[], reading: LineReading): readonly Glyph[] {
  if (meanConfidence(reading.characters) >= SURE) return glyphs;
  const stands = standsOf(reading.ink, reading.width);
  // Only where each character has ink of its own is it sure which is which.
  if (stands.length !== glyphs.length) return glyphs;
  const steps = stepsDown(glyphs, stands);
  if (steps.length < (isMixed(glyphs) ? 1 : LEAST_PAIRS) || median(steps) > MOST_STEP) return glyphs;
  return glyphs.map((glyph) => ({ ...glyph, text: glyph.text.toUpperCase() }));
}
