import { setTimeout as delay } from 'node:timers/promises';
import { Inspector, type Queue, stateCounts } from '@galley/core';
import type { HistoryWriter } from '../history/writer.ts';

const LOOK_MS = 150;

/** How long one waits for what was begun to end, in milliseconds. */
export interface Patience {
  /** While nothing ends. */
  readonly stillMs: number;
  /** In all. */
  readonly mostMs: number;
}

/** Waits until nothing is left to run; false when patience is at its end. */
export async function untilAtRest(queue: Queue, { stillMs, mostMs }: Patience): Promise<boolean> {
  const inspector = new Inspector(queue.connection, queue.layout);
  const last = Date.now() + mostMs;
  let ended = -1;
  let progressAt = Date.now();
  while (Date.now() < Math.min(last, progressAt + stillMs)) {
    const { scheduled, pending, processing, retrying, waiting, ...final } = stateCounts(await inspector.counts());
    if (scheduled + pending + processing + retrying + waiting === 0) return true;
    const endedNow = final.completed + final.cancelled + final.dead_letter;
    if (endedNow !== ended) progressAt = Date.now();
    ended = endedNow;
    await delay(LOOK_MS);
  }
  return false;
}

/** Puts every dead letter back in line, as an admin would, and writes down what was answered. */
export async function reviveAll(queue: Queue, history: HistoryWriter): Promise<void> {
  const inspector = new Inspector(queue.connection, queue.layout);
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await inspector.list({
      index: { kind: 'dead' },
      order: 'oldest',
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    ids.push(...page.tasks.map((task) => task.id));
    cursor = page.nextCursor;
  }
  for (const task of ids) history.write({ event: 'revive asked', task });
  const words = await queue.revive(ids);
  ids.forEach((task, index) => history.write({ event: 'revive answered', task, word: words[index] ?? 'missing' }));
}
