import { deadLetterActionSchema, deadLetterQuerySchema } from '@galley/contract';
import type { ListIndex } from '@galley/core';
import { type Exchange, type Handler, parseBody, parseQuery, sendJson } from '../http/exchange.ts';
import type { ServedQueue } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { boundToUser } from '../session/principal.ts';
import { ownerOf } from '../tasks/task-answer.ts';
import { listedTasks } from '../tasks/task-reader.ts';
import { actOnIds, idsOf, type Outcomes, planForAll, purgeAll, reviveAll } from './dead-letter-actions.ts';

const DEFAULT_LIMIT = 50;
const HOURS = 24;

async function byCode({ inspector }: ServedQueue): Promise<Record<string, { count: number; per_hour: number[] }>> {
  const [counts, now] = await Promise.all([inspector.deadByCode(), inspector.now()]);
  const rows = await Promise.all(
    Object.entries(counts).map(
      async ([code, count]) => [code, { count, per_hour: await inspector.deadPerHour(code, now, HOURS) }] as const,
    ),
  );
  return Object.fromEntries(rows);
}

function tally(outcomes: Outcomes): { done: number; skipped: { task_id: string; code: string }[] } {
  const skipped = [...outcomes].flatMap(([id, code]) => (code === null ? [] : [{ task_id: id, code }]));
  return { done: outcomes.size - skipped.length, skipped };
}

export function deadLetterRoutes(services: Services) {
  const { queues, operations, audit } = services;

  const act = async (exchange: Exchange, action: 'retry' | 'purge'): Promise<void> => {
    const request = parseBody(exchange, deadLetterActionSchema);
    const ids = idsOf(request);
    if (ids === null) {
      const { queue, code } = 'all' in request ? request : {};
      const plan = await planForAll(services, await queues.get(queue), action, code);
      const detail = code === undefined ? 'all' : `all of ${code}`;
      const operationId = await audit.begin(operations, plan, exchange.principal, detail, 'dead letters');
      return sendJson(exchange, { operation_id: operationId }, 202);
    }
    const outcomes = await actOnIds(services, ids, action === 'retry' ? reviveAll : (served, own) => purgeAll(services, served, own));
    const { done, skipped } = tally(outcomes);
    await audit.note(exchange.principal, `${action} dead letters`, `${ids.length} by id`, done);
    sendJson(exchange, action === 'retry' ? { retried: done, skipped } : { purged: done, skipped });
  };

  return {
    listDeadLetters: async (exchange) => {
      const { queue, code, cursor, limit = DEFAULT_LIMIT } = parseQuery(exchange, deadLetterQuerySchema);
      const served = await queues.get(queue);
      const index: ListIndex = code === undefined ? { kind: 'dead' } : { kind: 'tag', tag: 'code', value: code };
      const user = boundToUser(exchange.principal);
      const [page, total, codes] = await Promise.all([
        served.inspector.list({
          index,
          order: 'newest',
          limit,
          ...(cursor === undefined ? {} : { cursor }),
          ...(user === null ? {} : { accepts: (view) => ownerOf(view) === user }),
        }),
        served.inspector.count(index),
        byCode(served),
      ]);
      sendJson(exchange, { tasks: await listedTasks(served, page.tasks), next_cursor: page.nextCursor, total, by_code: codes });
    },
    retryDeadLetters: (exchange) => act(exchange, 'retry'),
    purgeDeadLetters: (exchange) => act(exchange, 'purge'),
  } satisfies Record<string, Handler>;
}
