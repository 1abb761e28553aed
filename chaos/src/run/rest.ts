import { setTimeout as delay } from 'node:timers/promises';
import { Inspector, type Queue, stateCounts } from '@galley/core';
import type { HistoryWriter } from '../history/writer.ts';

const LOOK_MS = 150;

/** Waits until nothing is left to run; false when that does not come in time. */
export async function untilAtRest(queue: Queue, withinMs: number): Promise<boolean> {
  const inspector = new Inspector(queue.connection, queue.layout);
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    const { scheduled, pending, processing, retrying, waiting } = stateCounts(await inspector.counts());
    if (scheduled + pending + processing + retrying + waiting === 0) return true;
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
