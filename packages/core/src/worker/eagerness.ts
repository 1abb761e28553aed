import type { Random } from '../clock.ts';

/** A word that others will act on is looked after this much later, at least and at most, milliseconds. */
const LEAST_DELAY_MS = 5;
const MOST_DELAY_MS = 20;
/** One wake-up in three finds a task where these hold the balance. */
const AFTER_FINDING = 1.5;
const AFTER_NOTHING = 0.8;
const LEAST_SHARE = 0.002;

/**
 * Every idle worker hears of a new task, and one of them gets it. So that a hundred do not all ask for it, each acts at once on only a
 * share of the words, and on the others it looks a little later, in case nobody did. Whoever finds something acts on more of them, and
 * whoever comes too late on fewer: about three workers end up asking for each task, however many there are, and one alone asks always.
 */
export class Eagerness {
  private readonly random: Random;
  private share = 1;

  constructor(random: Random) {
    this.random = random;
  }

  /** After how many milliseconds to act on a word that has just come. */
  delayMs(): number {
    return this.random() < this.share ? 0 : LEAST_DELAY_MS + this.random() * (MOST_DELAY_MS - LEAST_DELAY_MS);
  }

  /** Acting has found a task, or nothing any more. That nothing is left for one who comes `late` is how it should be. */
  acted(found: boolean, late: boolean): void {
    if (found) this.share = Math.min(1, this.share * AFTER_FINDING);
    else if (!late) this.share = Math.max(LEAST_SHARE, this.share * AFTER_NOTHING);
  }
}
