/** How texts are compared: for tests, `npm run evaluate` and the benchmark. */

const SPACE_NEXT_TO_CHINESE =
  /(?<=[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]) | (?=[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f])/gu;

/** NFKC, white space collapsed, no spaces next to Chinese characters. */
export function normaliseText(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').replace(SPACE_NEXT_TO_CHINESE, '').trim();
}

/** Characters to insert, delete or replace until one text is the other (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let previous = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  let current = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    current[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, replaced);
    }
    [previous, current] = [current, previous];
  }
  return previous[b.length] ?? 0;
}
