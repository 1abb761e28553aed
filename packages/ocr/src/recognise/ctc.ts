/** What the recogniser saw in each step of a line (a step is eight pixels wide). */
export interface Steps {
  /** The likeliest class and its probability. */
  readonly classes: Int32Array;
  readonly confidences: Float32Array;
  /** The probability of a space, 0-1, be it the likeliest class or not. */
  readonly spaces: Float32Array;
}

/** A character and where on the line it was seen. */
export interface Character {
  text: string;
  confidence: number;
  /** The middle of the steps it was seen in, counted in steps from the line's start; may be a half. */
  step: number;
}

/** Greedy CTC: neighbouring equal classes are one character, class 0 is a pause. */
export function collapse(steps: Pick<Steps, 'classes' | 'confidences'>, dictionary: readonly string[]): Character[] {
  const characters: Character[] = [];
  const { classes, confidences } = steps;
  for (let at = 0; at < classes.length; ) {
    const found = classes[at] ?? 0;
    let [end, best] = [at, 0];
    for (; end < classes.length && classes[end] === found; end++) best = Math.max(best, confidences[end] ?? 0);
    const text = dictionary[found];
    if (found !== 0 && text !== undefined) characters.push({ text, confidence: best, step: (at + end) / 2 });
    at = end;
  }
  return characters;
}
