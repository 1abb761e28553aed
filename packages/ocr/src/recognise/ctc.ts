/** What the recogniser saw in each step of a line (a step is eight pixels wide). */
export interface Steps {
  /** The likeliest class and its probability. */
  readonly classes: Int32Array;
  readonly confidences: Float32Array;
}

/** A character and where on the line it was seen. */
export interface Character {
  text: string;
  confidence: number;
  /** The middle of the steps it was seen in, counted in steps from the line's start; may be a half. */
  step: number;
}

/** The likeliest class of each step from `[1, steps, classes]` probabilities. */
export function likeliest(probabilities: Float32Array, steps: number, classCount: number): Steps {
  const classes = new Int32Array(steps);
  const confidences = new Float32Array(steps);
  for (let step = 0; step < steps; step++) {
    const offset = step * classCount;
    let [best, at] = [-1, 0];
    for (let index = 0; index < classCount; index++) {
      const value = probabilities[offset + index] ?? 0;
      if (value > best) [best, at] = [value, index];
    }
    classes[step] = at;
    confidences[step] = best;
  }
  return { classes, confidences };
}

/** Greedy CTC: neighbouring equal classes are one character, class 0 is a pause. */
export function collapse(steps: Steps, dictionary: readonly string[]): Character[] {
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
