/** A unit that a model repeats is at most this long. */
const LONGEST_UNIT = 400;
/** From so many characters and so many times on it is a loop, and nothing that a page would say. */
const LEAST_LENGTH = 160;
const LEAST_TIMES = 8;
/** Rows of dots and dashes are printed too: leaders of a table of contents, rules. */
const RULE = /^[\s.…·_\-=*~|]+$/u;
const LEAST_RULE_LENGTH = 600;

export interface Repetition {
  /** The text up to the end of the unit's first appearance in the loop. */
  readonly kept: string;
  readonly unit: string;
  /** Whole times that the unit stands at the end. */
  readonly times: number;
}

/**
 * Finds one thing said again and again up to the end of a text, the way in which language models get stuck; null where there is none.
 * The last time may be cut short by the limit of tokens.
 */
export function findRepetition(text: string): Repetition | null {
  const end = text.trimEnd().length;
  for (let unit = 1; unit <= Math.min(LONGEST_UNIT, end / LEAST_TIMES); unit++) {
    let start = end - unit;
    while (start > 0 && text[start - 1] === text[start - 1 + unit]) start--;
    const length = end - start;
    const times = Math.floor(length / unit);
    if (length < LEAST_LENGTH || times < LEAST_TIMES) continue;
    const said = text.slice(start, start + unit);
    if (RULE.test(said) && length < LEAST_RULE_LENGTH) continue;
    // Where lines are repeated the first one stays whole, wherever the loop was noticed.
    const lineEnd = said.includes('\n') ? text.indexOf('\n', start + unit) : start + unit;
    return { kept: text.slice(0, lineEnd).trimEnd(), unit: said, times };
  }
  return null;
}
