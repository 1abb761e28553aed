import type { Word } from './orders.ts';

/** This process's order: JSON in its first argument. */
export function orderText(): unknown {
  return JSON.parse(process.argv[2] ?? 'null');
}

/** Resolves when the word has left; says nothing to nobody where the run is gone. */
export function say(word: Word): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(word, undefined, {}, () => resolve());
  });
}

/** A process whose run is gone has nothing left to do. */
export function leaveWithRun(): void {
  process.once('disconnect', () => process.exit(0));
}
