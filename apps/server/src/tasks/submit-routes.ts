import {
  type AcceptedTask,
  DEFAULT_PRIORITY,
  DOCUMENT_TAGS,
  DOCUMENT_TASK,
  type DocumentPayload,
  documentPayloadSchema,
  GalleyError,
  queueOfEngine,
  type TaskRequest,
  taskBatchRequestSchema,
  taskRequestSchema,
} from '@galley/contract';
import { refusalOf } from '../documents/document-routes.ts';
import { requireEngine } from '../documents/engines.ts';
import { type Exchange, type Handler, parseBody, parseInput, sendJson } from '../http/exchange.ts';
import { isRefusal, problemOf, sendProblem } from '../http/problem.ts';
import type { ServedQueue } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { boundToUser, requirePriority } from '../session/principal.ts';
import { isoTime } from './task-answer.ts';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

function idempotencyKey(exchange: Exchange): string | null {
  const key = exchange.request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  throw new GalleyError('invalid_request', 'Idempotency-Key takes 1 to 128 printable ASCII characters without spaces');
}

/** While a task of the same identity is live or its result held, submit answers with it: that is what a repeated key asks for too. */
function identityOf(request: TaskRequest, userId: string | undefined, key: string | null): readonly string[] | undefined {
  const owner = userId ?? '';
  if (key !== null) return ['idempotency-key', key, owner];
  return (request.dedupe ?? true) ? ['url', request.image_url, request.engine ?? 'auto', owner] : undefined;
}

/** @throws GalleyError `idempotency_conflict` where a key met the task of a request for another image or engine */
async function requireSameRequest({ inspector }: ServedQueue, taskId: string, { image_url: url, engine }: DocumentPayload): Promise<void> {
  const view = await inspector.get(taskId);
  const earlier = documentPayloadSchema.safeParse(view?.payload);
  if (!earlier.success || (earlier.data.image_url === url && earlier.data.engine === engine)) return;
  throw new GalleyError(
    'idempotency_conflict',
    `this Idempotency-Key made ${taskId} from another image_url or engine; nothing was submitted`,
  );
}

async function submitTask(
  { queues, config, callbacks }: Services,
  exchange: Exchange,
  request: TaskRequest,
  key: string | null,
): Promise<AcceptedTask> {
  const { principal } = exchange;
  const priority = request.priority ?? DEFAULT_PRIORITY;
  requirePriority(principal, priority);
  const engine = request.engine ?? 'auto';
  requireEngine(engine, config);
  callbacks.requireEnabled(request.callback_url);
  const userId = boundToUser(principal) ?? request.user_id ?? principal.userId ?? undefined;
  const identity = identityOf(request, userId, key);
  const payload: DocumentPayload = {
    image_url: request.image_url,
    engine,
    ...(userId === undefined ? {} : { user_id: userId }),
  };
  const served = await queues.get(queueOfEngine(engine));
  const submitted = await served.queue.submit(DOCUMENT_TASK, payload, {
    priority,
    ...(request.delay_ms === undefined ? {} : { delayMs: request.delay_ms }),
    ...(request.max_retries === undefined ? {} : { maxRetries: request.max_retries }),
    ...(request.timeout_ms === undefined ? {} : { timeoutMs: request.timeout_ms }),
    ...(request.concurrency_key === undefined ? {} : { concurrencyKey: request.concurrency_key }),
    ...(identity === undefined ? {} : { identity }),
    tags: { [DOCUMENT_TAGS.type]: DOCUMENT_TASK, ...(userId === undefined ? {} : { [DOCUMENT_TAGS.user]: userId }) },
  });
  if (key !== null && submitted.duplicate) await requireSameRequest(served, submitted.id, payload);
  await callbacks.owe(submitted.id, submitted.state, request.callback_url);
  return {
    task_id: submitted.id,
    status: submitted.state,
    priority: submitted.priority,
    created_at: isoTime(submitted.createdAt),
    duplicate: submitted.duplicate,
  };
}

export function submitRoutes(services: Services) {
  return {
    submitTask: async (exchange) => {
      const request = parseBody(exchange, taskRequestSchema);
      sendJson(exchange, await submitTask(services, exchange, request, idempotencyKey(exchange)), 202);
    },
    submitTasks: async (exchange) => {
      const { tasks } = parseBody(exchange, taskBatchRequestSchema);
      const key = idempotencyKey(exchange);
      // All in one tick: adds made together travel in few calls.
      const outcomes = await Promise.allSettled(
        tasks.map(async (entry, index) => {
          const request = parseInput(taskRequestSchema, entry, `tasks.${index}`);
          return submitTask(services, exchange, request, key === null ? null : `${key}#${index}`);
        }),
      );
      const rejected = outcomes.flatMap((outcome, index) => {
        if (outcome.status === 'fulfilled') return [];
        const error: unknown = outcome.reason;
        if (!isRefusal(error)) throw error;
        return [{ index, code: error.code, detail: error.message }];
      });
      const accepted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const body = { tasks: accepted, rejected };
      if (accepted.length > 0) return sendJson(exchange, body, 202);
      const { status, code } = refusalOf(rejected.map((entry) => entry.code));
      const error = new GalleyError(
        code,
        `none of the ${tasks.length} tasks was accepted`,
        code === 'queue_full' ? { retryAfterMs: 1_000 } : {},
      );
      sendProblem(exchange.response, problemOf(error, exchange.requestId, body, status));
    },
  } satisfies Record<string, Handler>;
}
