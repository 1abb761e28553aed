import {
  type AcceptedDocument,
  DEFAULT_PRIORITY,
  DOCUMENT_TAGS,
  DOCUMENT_TASK,
  type DocumentFields,
  type DocumentPayload,
  documentFieldsSchema,
  ERROR_CATALOGUE,
  type ErrorCode,
  GalleyError,
  isErrorCode,
  queueOfEngine,
  type RequestEngine,
  type SubmitDocuments,
} from '@galley/contract';
import type { Queue } from '@galley/core';
import type { Callbacks } from '../callbacks/callbacks.ts';
import { type Exchange, type Handler, parseInput, sendJson } from '../http/exchange.ts';
import { isRefusal, problemOf, sendProblem } from '../http/problem.ts';
import type { Services } from '../services.ts';
import { boundToUser, requirePriority } from '../session/principal.ts';
import { isoTime } from '../tasks/task-answer.ts';
import { requireEngine } from './engines.ts';
import type { ReceivedFile } from './intake.ts';
import { receiveUpload } from './receive.ts';

/** How many files are fsynced at once. */
const COMMITS_AT_ONCE = 8;

type RejectedFile = SubmitDocuments['rejected'][number];
type Outcome = { readonly document: AcceptedDocument } | { readonly rejected: RejectedFile; readonly retryAfterMs?: number | undefined };

interface Intent {
  readonly queue: Queue;
  readonly engine: RequestEngine;
  readonly userId: string | undefined;
  readonly priority: number;
  readonly dedupe: boolean;
  readonly callbackUrl: string | undefined;
}

/** What is asked for a request's files, and the queue of its engine. Throws GalleyError where its sender may not have that. */
export async function intentOf({ queues, config }: Services, exchange: Exchange, fields: DocumentFields): Promise<Intent> {
  const { principal } = exchange;
  const priority = fields.priority ?? DEFAULT_PRIORITY;
  requirePriority(principal, priority);
  const engine = fields.engine ?? 'auto';
  requireEngine(engine, config);
  const { queue } = await queues.get(queueOfEngine(engine));
  return {
    queue,
    engine,
    userId: boundToUser(principal) ?? fields.user_id ?? principal.userId ?? undefined,
    priority,
    dedupe: fields.dedupe ?? true,
    callbackUrl: fields.callback_url,
  };
}

export async function submitFile(file: ReceivedFile, intent: Intent, callbacks: Callbacks): Promise<Outcome> {
  const { filename } = file;
  if (file.kind === 'refused') return { rejected: { filename, code: file.code, detail: file.detail } };
  // The blob is durable, and its day of deletion put off, before the task that needs it exists (DESIGN P1).
  const { sha256, size } = await file.writer.commit();
  const payload: DocumentPayload = {
    filename,
    sha256,
    size_bytes: size,
    engine: intent.engine,
    ...(intent.userId === undefined ? {} : { user_id: intent.userId }),
  };
  try {
    const submitted = await intent.queue.submit(DOCUMENT_TASK, payload, {
      priority: intent.priority,
      ...(intent.dedupe ? { identity: [sha256, intent.engine, intent.userId ?? ''] } : {}),
      tags: {
        [DOCUMENT_TAGS.type]: DOCUMENT_TASK,
        [DOCUMENT_TAGS.blob]: sha256,
        ...(intent.userId === undefined ? {} : { [DOCUMENT_TAGS.user]: intent.userId }),
      },
    });
    await callbacks.owe(submitted.id, submitted.state, intent.callbackUrl);
    return {
      document: {
        task_id: submitted.id,
        filename,
        sha256,
        status: submitted.state,
        priority: submitted.priority,
        created_at: isoTime(submitted.createdAt),
        duplicate: submitted.duplicate,
      },
    };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { rejected: { filename, code: error.code, detail: error.message }, retryAfterMs: error.retryAfterMs };
  }
}

async function submitFiles(files: readonly ReceivedFile[], intent: Intent, callbacks: Callbacks): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < files.length; from += COMMITS_AT_ONCE) {
    outcomes.push(...(await Promise.all(files.slice(from, from + COMMITS_AT_ONCE).map((file) => submitFile(file, intent, callbacks)))));
  }
  return outcomes;
}

/** Statuses that a whole request is answered with when all its refusals share them (DESIGN §6); anything else is 422. */
const SHARED_STATUSES: readonly number[] = [413, 415, 422, 429];

export function refusalOf(codes: readonly string[]): { readonly status: number; readonly code: ErrorCode } {
  const statuses = new Set(codes.map((code) => (isErrorCode(code) ? ERROR_CATALOGUE[code].status : null)));
  const [shared = null] = statuses;
  const status = statuses.size === 1 && shared !== null && SHARED_STATUSES.includes(shared) ? shared : 422;
  const [first = ''] = codes;
  const isOne = new Set(codes).size === 1 && isErrorCode(first) && ERROR_CATALOGUE[first].status === status;
  return { status, code: isOne ? first : 'nothing_accepted' };
}

function answerUpload(exchange: Exchange, outcomes: readonly Outcome[]): void {
  const documents = outcomes.flatMap((outcome) => ('document' in outcome ? [outcome.document] : []));
  const rejected = outcomes.flatMap((outcome) => ('rejected' in outcome ? [outcome.rejected] : []));
  const body: SubmitDocuments = { documents, rejected };
  if (documents.length > 0) {
    sendJson(exchange, body, 202);
    return;
  }
  const { status, code } = refusalOf(rejected.map((entry) => entry.code));
  const waits = outcomes.flatMap((outcome) => ('rejected' in outcome && outcome.retryAfterMs !== undefined ? [outcome.retryAfterMs] : []));
  const detail = rejected.length === 1 ? (rejected[0]?.detail ?? '') : `none of the ${rejected.length} files was accepted`;
  const error = new GalleyError(code, detail, waits.length === 0 ? {} : { retryAfterMs: Math.max(...waits) });
  sendProblem(exchange.response, problemOf(error, exchange.requestId, body, status));
}

export function documentRoutes(services: Services) {
  const { config, blobs, redis, callbacks } = services;
  return {
    submitDocuments: async (exchange) => {
      const { request, response } = exchange;
      const upload = await receiveUpload(request, response, { blobs, maxFileBytes: config.maxFileBytes, maxFiles: config.maxFiles });
      try {
        if ('file' in upload.fields)
          throw new GalleyError(
            'invalid_request',
            'a field "file" came without a file name, so it is no file: give each file a name; nothing was taken',
          );
        const fields = parseInput(documentFieldsSchema, upload.fields, 'the form');
        if (upload.files.length === 0)
          throw new GalleyError('invalid_request', 'the form has no file: send at least one in a field named "file"');
        if (upload.cut) response.set('connection', 'close');
        const outcomes = await redis.during(async () => {
          callbacks.requireEnabled(fields.callback_url);
          return submitFiles(upload.files, await intentOf(services, exchange, fields), callbacks);
        });
        answerUpload(exchange, outcomes);
      } finally {
        await upload.abort();
      }
    },
  } satisfies Record<string, Handler>;
}
