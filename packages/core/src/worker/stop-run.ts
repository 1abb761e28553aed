import type { Run } from './run.ts';
import type { ControlWord } from './wake-listener.ts';

export function stopForShutdown(run: Run): void {
  run.stop('stopping', 'the worker is stopping and its grace period is over');
}

export function stopByWord(run: Run, { word }: ControlWord): void {
  if (word === 'cancel') run.stop('cancelled', 'the task was cancelled');
  else run.stop('lease_lost', 'the task was taken back');
}
