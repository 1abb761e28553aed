import type { Run } from './run.ts';
import type { ControlWord } from './wake-listener.ts';

/** Kept at most; older ones are of runs that have ended. */
const MOST = 1_000;

/** Words to holders that came before the answer to the claim that they are about: a word can overtake it. */
export class EarlyWords {
  private readonly words = new Map<string, ControlWord>();

  keep(word: ControlWord): void {
    this.words.set(`${word.taskId}#${word.fence}`, word);
    const [oldest] = this.words.keys();
    if (this.words.size > MOST && oldest !== undefined) this.words.delete(oldest);
  }

  of(run: Run): ControlWord | undefined {
    return this.words.get(`${run.id}#${run.fence}`);
  }
}
