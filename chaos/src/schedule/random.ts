/** Chance that follows from a seed: the same seed gives the same numbers on every machine. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). The generator is mulberry32: 32 bits of state, plenty for choosing faults. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const cards = [...items];
    for (let at = cards.length - 1; at > 0; at--) {
      const other = this.whole(0, at);
      const [low, high] = [cards[at], cards[other]];
      if (low === undefined || high === undefined) continue;
      cards[at] = high;
      cards[other] = low;
    }
    return cards;
  }

  /** A stream of its own, so that more draws here do not change what is drawn there. */
  fork(name: string): SeededRandom {
    let hash = this.state ^ 0x811c9dc5;
    for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    return new SeededRandom(hash >>> 0);
  }
}
