import type { Case } from '../case.ts';
import { of } from '../case.ts';
import type { Finding } from '../evidence.ts';

/** P5: a process ends when it is told to, by itself, and never for a reason of its own. */
export function* orderlyEnds({ evidence }: Case): Generator<Finding> {
  const finding = (says: string): Finding => ({ promise: 'P5', task: null, says });
  for (const { process, code } of of(evidence.history, 'process ended')) {
    if (code !== null && code !== 0) yield finding(`${process} ended with ${code} and nobody had ended it`);
  }
  for (const { process } of of(evidence.history, 'process outstayed'))
    yield finding(`${process} did not end by itself when it was told to`);
}
