import { DOCUMENT_TASK, type ErrorCode, GalleyError, type TaskAction, taskActionSchema } from '@galley/contract';
import type { OperationPlan, OperationStep } from '@galley/core';
import { purgeAll, reviveAll } from '../dead-letters/dead-letter-actions.ts';
import { type Handler, parseBody, pathParameter, sendJson } from '../http/exchange.ts';
import type { ServedQueue } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { listTaskViews } from './task-list.ts';

const STEP = 100;

type Act = (served: ServedQueue, ids: string[]) => Promise<(ErrorCode | null)[]>;

function actOf(services: Services, action: TaskAction): Act {
  const { priority } = action;
  switch (action.action) {
    case 'retry':
      return reviveAll;
    case 'purge':
      return (served, ids) => purgeAll(services, served, ids);
    case 'cancel':
      return ({ queue }, ids) =>
        Promise.all(ids.map(async (id) => ((await queue.cancel(id)).word === 'cancelled' ? null : ('invalid_state' satisfies ErrorCode))));
    case 'reprioritize':
      if (priority === undefined) throw new GalleyError('invalid_request', 'reprioritize needs a "priority"');
      return ({ queue }, ids) =>
        Promise.all(
          ids.map(async (id) =>
            (await queue.reprioritize(id, priority))?.word === 'reprioritized' ? null : ('invalid_state' satisfies ErrorCode),
          ),
        );
  }
}

function stepOf(codes: readonly (ErrorCode | null)[], finished: boolean): OperationStep {
  const done = codes.filter((code) => code === null).length;
  return { done, skipped: codes.length - done, finished };
}

function planForIds(served: ServedQueue, action: string, ids: readonly string[], act: Act): OperationPlan {
  let at = 0;
  return {
    action,
    total: ids.length,
    step: async () => {
      const own = ids.slice(at, at + STEP);
      at += own.length;
      return stepOf(await act(served, own), at >= ids.length);
    },
  };
}

/** Over the documents there are now that match; the list is walked from the newest back, so later ones are not met. */
async function planForFilter(served: ServedQueue, action: TaskAction, act: Act): Promise<OperationPlan> {
  const began = await served.inspector.now();
  const { task_ids: _ids, ...filter } = action.filter;
  const query = { ...filter, type: filter.type ?? DOCUMENT_TASK, limit: STEP, order: 'newest' as const };
  const { total } = await listTaskViews(served, { ...query, limit: 1 });
  let cursor: string | undefined;
  return {
    action: action.action,
    total: total ?? 0,
    step: async () => {
      const page = await listTaskViews(served, cursor === undefined ? query : { ...query, cursor }, (view) => view.createdAt <= began);
      cursor = page.nextCursor ?? undefined;
      const codes = await act(
        served,
        page.views.map((view) => view.id),
      );
      return stepOf(codes, cursor === undefined);
    },
  };
}

/** What would be left out unseen would make the action reach further than was meant. @throws GalleyError `invalid_request` */
function requireIntent({ filter }: TaskAction): void {
  const names = Object.keys(filter);
  if (names.length === 0)
    throw new GalleyError('invalid_request', 'the filter is empty: name what is meant; {"type": "document"} means every document');
  if (filter.q?.trim() === '')
    throw new GalleyError('invalid_request', 'the filter\'s "q" is empty: leave it out, or say what to look for');
  const beside = names.filter((name) => name !== 'task_ids' && name !== 'queue');
  if (filter.task_ids !== undefined && beside.length > 0)
    throw new GalleyError('invalid_request', `"task_ids" say by themselves what is meant: leave out ${beside.join(', ')}`);
}

export function actionRoutes(services: Services) {
  const { queues, operations, audit } = services;
  return {
    actOnTasks: async (exchange) => {
      const action = parseBody(exchange, taskActionSchema);
      requireIntent(action);
      const served = await queues.get(action.filter.queue);
      const act = actOf(services, action);
      const ids = action.filter.task_ids;
      const plan = ids === undefined ? await planForFilter(served, action, act) : planForIds(served, action.action, [...new Set(ids)], act);
      const operationId = await audit.begin(operations, plan, exchange.principal, JSON.stringify(action.filter).slice(0, 500), 'tasks');
      sendJson(exchange, { operation_id: operationId }, 202);
    },
    getOperation: async (exchange) => {
      const id = pathParameter(exchange, 'id');
      const operation = await operations.get(id);
      if (operation === null) throw new GalleyError('operation_not_found', `there is no operation "${id.slice(0, 64)}"`);
      sendJson(exchange, operation);
    },
    listAudit: async (exchange) => sendJson(exchange, await audit.list()),
  } satisfies Record<string, Handler>;
}
