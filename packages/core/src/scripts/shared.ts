/** Keys that every verb declares; the rest are derived from `base` inside the shard's slot. */
export const SHARD_KEYS = ['base', 'pending', 'due', 'finished', 'processing', 'dead', 'counts', 'totals', 'locks'] as const;

/** Reads a flat reply word by word. */
export class ReplyReader {
  private at = 0;
  private readonly words: readonly string[];
  private readonly script: string;

  constructor(script: string, words: readonly string[]) {
    this.script = script;
    this.words = words;
  }

  get done(): boolean {
    return this.at >= this.words.length;
  }

  word(): string {
    const word = this.words[this.at++];
    if (word === undefined) throw new Error(`the answer of script ${this.script} ended early`);
    return word;
  }

  number(): number {
    const word = this.word();
    const value = Number(word);
    if (word === '' || !Number.isFinite(value)) throw new Error(`script ${this.script} answered "${word}" where a number belongs`);
    return value;
  }

  /** One of the words given, or an error that names the stranger. */
  oneOf<const Word extends string>(words: readonly Word[]): Word {
    const word = this.word();
    const found = words.find((candidate) => candidate === word);
    if (found === undefined) throw new Error(`script ${this.script} answered "${word}", which its declaration does not know`);
    return found;
  }

  /** Everything left, each one of the words given. */
  rest<const Word extends string>(words: readonly Word[]): Word[] {
    const rest: Word[] = [];
    while (!this.done) rest.push(this.oneOf(words));
    return rest;
  }
}
