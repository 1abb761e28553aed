import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { GalleyError } from '@galley/contract';
import { connectRedis, Queue } from '@galley/core';
import { readHistory } from '../history/reader.ts';
import { watchStalls } from '../history/stall-watch.ts';
import { HistoryWriter } from '../history/writer.ts';
import type { Action } from '../schedule/plan-work.ts';
import { actionsSchema, producerOrderSchema } from './orders.ts';
import { leaveWithRun, orderText, say } from './process-side.ts';

/**
 * A producer of a chaos run: does its actions when their time has come, and writes down what it asked and was answered. When
 * it has been killed, the next incarnation reads what it had asked, and asks for nothing twice: what was not answered then
 * may or may not have been done, and the checker allows for both.
 */

leaveWithRun();
const order = producerOrderSchema.parse(orderText());
const name = order.by.replace(/\.\d+$/, '');
const before = await readHistory(order.historyDirectory, name);
const history = new HistoryWriter(order.historyDirectory, order.by);
watchStalls(history);
const actions = actionsSchema.parse(JSON.parse(await readFile(order.actionsFile, 'utf8')));
const queue = await Queue.open(connectRedis(order.url), order.queue, { settings: order.settings });

const asked = new Set(before.flatMap((event) => (event.event === 'submit asked' ? [event.label] : [])));
/** Label → the task's id, or null where its submit was refused or its answer died with an earlier incarnation. */
const tasks = new Map<string, Promise<string | null>>();
for (const label of asked) tasks.set(label, Promise.resolve(null));
for (const event of before) if (event.event === 'submit answered') tasks.set(event.label, Promise.resolve(event.task));
const bornAt = Date.now();

async function submit({
  label,
  type,
  priority,
  delayMs,
  timeoutMs,
  identity,
  work,
}: Extract<Action, { do: 'submit' }>): Promise<string | null> {
  history.write({ event: 'submit asked', label, type, priority, delayMs, identity });
  try {
    const options = {
      priority,
      delayMs,
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(identity === null ? {} : { identity: [identity] }),
    };
    const { id, duplicate } = await queue.submit(type, work, options);
    history.write({ event: 'submit answered', label, task: id, duplicate });
    return id;
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    history.write({ event: 'submit refused', label, detail: error.code });
    return null;
  }
}

async function steer(action: Exclude<Action, { do: 'submit' }>): Promise<void> {
  const task = (await tasks.get(action.label)) ?? null;
  if (task === null) return;
  switch (action.do) {
    case 'cancel': {
      history.write({ event: 'cancel asked', task });
      const reply = await queue.cancel(task);
      return history.write({ event: 'cancel answered', task, word: reply.word, state: reply.word === 'final' ? reply.state : null });
    }
    case 'revive': {
      history.write({ event: 'revive asked', task });
      const [word = 'missing'] = await queue.revive([task]);
      return history.write({ event: 'revive answered', task, word });
    }
    case 'reprioritize': {
      history.write({ event: 'reprioritize asked', task, priority: action.priority });
      const reply = await queue.reprioritize(task, action.priority);
      return history.write({ event: 'reprioritize answered', task, word: reply?.word ?? 'missing' });
    }
  }
}

function perform(action: Action): Promise<unknown> {
  if (action.do !== 'submit') return steer(action);
  const submitted = submit(action);
  tasks.set(action.label, submitted);
  return submitted;
}

await say('ready');
const underWay: Promise<unknown>[] = [];
for (const action of actions) {
  // What an earlier incarnation has asked, or would have had to steer, is its own.
  if (action.do === 'submit' ? asked.has(action.label) : asked.has(action.label) && order.startedAt + action.at < bornAt) continue;
  const wait = order.startedAt + action.at - Date.now();
  if (wait > 0) await delay(wait);
  underWay.push(perform(action));
}
await Promise.all(underWay);
await queue.connection.close();
await say('finished');
process.exit(0);
