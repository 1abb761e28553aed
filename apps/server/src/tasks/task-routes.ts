import { GalleyError, priorityRequestSchema, TASK_EVENTS, type TaskEvent, taskListQuerySchema } from '@galley/contract';
import type { TimelineEntry } from '@galley/core';
import { type Exchange, type Handler, parseBody, parseQuery, pathParameter, sendJson } from '../http/exchange.ts';
import type { Services } from '../services.ts';
import { boundToUser, requirePriority } from '../session/principal.ts';
import { isoTime } from './task-answer.ts';
import { deleteFiles, filesOf } from './task-files.ts';
import { listTaskViews } from './task-list.ts';
import { type FoundTask, findTask, listedTasks, wholeTask } from './task-reader.ts';

function timelineAnswer(entry: TimelineEntry): TaskEvent[] {
  const event = TASK_EVENTS.find((name) => name === entry.event);
  if (event === undefined) return [];
  return [
    {
      at: isoTime(entry.at),
      event,
      run: entry.run,
      worker_id: entry.worker_id,
      fence: entry.fence,
      code: entry.code,
      detail: entry.detail,
    },
  ];
}

export function taskRoutes(services: Services) {
  const { queues, audit } = services;
  const find = (exchange: Exchange): Promise<FoundTask> => findTask(services, exchange.principal, pathParameter(exchange, 'id'));
  const answerAgain = async (exchange: Exchange): Promise<void> =>
    sendJson(
      exchange,
      await wholeTask(
        services,
        await findTask(services, exchange.principal, pathParameter(exchange, 'id'), 'head'),
        exchange.principal.role === 'admin',
      ),
    );

  /** What admins do to tasks, which may be other people's, is written down. */
  const noteAdmin = async ({ principal }: Exchange, action: string, id: string): Promise<void> => {
    if (principal.role === 'admin') await audit.note(principal, action, id, 1);
  };

  return {
    listTasks: async (exchange) => {
      const query = parseQuery(exchange, taskListQuerySchema);
      const served = await queues.get(query.queue);
      const user = boundToUser(exchange.principal);
      const page = await listTaskViews(served, user === null ? query : { ...query, user_id: user });
      sendJson(exchange, { tasks: await listedTasks(served, page.views), next_cursor: page.nextCursor, total: page.total });
    },
    getTask: answerAgain,
    getTaskEvents: async (exchange) => {
      const { inspector, task } = await find(exchange);
      sendJson(exchange, { events: (await inspector.events(task.id)).flatMap(timelineAnswer) });
    },
    cancelTask: async (exchange) => {
      const { queue, task } = await find(exchange);
      const reply = await queue.cancel(task.id);
      if (reply.word === 'final' && reply.state !== 'cancelled') {
        throw new GalleyError('invalid_state', `${task.id} has ended already: it is ${reply.state}, so there is nothing to cancel`);
      }
      if (reply.word === 'cancelled') await noteAdmin(exchange, 'cancel', task.id);
      await answerAgain(exchange);
    },
    reprioritizeTask: async (exchange) => {
      const { priority } = parseBody(exchange, priorityRequestSchema);
      requirePriority(exchange.principal, priority);
      const { queue, task } = await find(exchange);
      const reply = await queue.reprioritize(task.id, priority);
      if (reply?.word === 'final')
        throw new GalleyError('invalid_state', `${task.id} has ended: it is ${reply.state}, so its priority means nothing`);
      await noteAdmin(exchange, `reprioritize to ${priority}`, task.id);
      await answerAgain(exchange);
    },
    deleteTask: async (exchange) => {
      const found = await find(exchange);
      const { queue, task } = found;
      if (task.parentId !== null) throw new GalleyError('invalid_state', `${task.id} is a page of ${task.parentId}: delete the document`);
      await queue.cancel(task.id);
      const files = await filesOf(services, found, task);
      await queue.purge([task.id]);
      await deleteFiles(services, [files]);
      await noteAdmin(exchange, 'delete', task.id);
      exchange.response.status(204).end();
    },
  } satisfies Record<string, Handler>;
}
