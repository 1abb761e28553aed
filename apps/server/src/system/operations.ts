import {
  deadLetterQuerySchema,
  type ErrorCode,
  historyQuerySchema,
  queueQuerySchema,
  type RouteName,
  resultQuerySchema,
  taskListQuerySchema,
} from '@galley/contract';
import type * as z from 'zod/mini';
import type { AnswerName, RequestName } from './api-schemas.ts';

/** One way in which an operation answers that it went well. */
export interface AnswerFacts {
  readonly description: string;
  /** The JSON answer's schema, by name; several: one of them; `any`: JSON of any form. */
  readonly json?: AnswerName | readonly AnswerName[] | 'any';
  /** Media types that are not JSON. */
  readonly media?: readonly string[];
}

export const OPERATION_GROUPS = ['Submit', 'Tasks', 'Results', 'Dead letters', 'Queues and workers', 'Session', 'System'] as const;

/** What the OpenAPI document says of a route beside its method, path and role. */
export interface OperationFacts {
  readonly group: (typeof OPERATION_GROUPS)[number];
  readonly summary: string;
  /** What a caller should know besides. */
  readonly note?: string;
  readonly query?: z.core.$ZodType;
  readonly body?: RequestName;
  /** Request headers beside those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<number, AnswerFacts>>;
  /** Refusals of its own, beside those that every route may answer with. */
  readonly problems?: readonly ErrorCode[];
}

const IDEMPOTENCY = {
  'Idempotency-Key':
    'Any text of up to 128 characters: the same key answers with the same task while it is live or its result held, and with 422 where image_url or engine differ.',
};
const CONCURRENCY_KEY =
  'Tasks of one concurrency_key run one at a time. The key is part of what makes two submits the same work, with dedupe as with Idempotency-Key: under another key it is another task.';
const SUBMIT_PROBLEMS = ['queue_full', 'engine_unavailable', 'redis_full', 'not_implemented'] as const satisfies readonly ErrorCode[];
const TASK_ANSWER = { 200: { description: 'The task', json: 'Task' } } as const;
const QUEUE_ANSWER = { 200: { description: 'The queue', json: 'QueueSnapshot' } } as const;
const BEGUN = { description: 'An operation was begun over all that were dead before the call', json: 'OperationStarted' } as const;

export const OPERATIONS: Readonly<Record<RouteName, OperationFacts>> = {
  submitDocuments: {
    group: 'Submit',
    summary: 'Upload documents',
    answers: { 202: { description: 'What was accepted, and what was not and why', json: 'SubmittedDocuments' } },
    problems: [...SUBMIT_PROBLEMS, 'payload_too_large', 'file_too_large', 'unsupported_format', 'nothing_accepted'],
  },
  submitTask: {
    group: 'Submit',
    summary: 'Submit a document by its URL',
    note: CONCURRENCY_KEY,
    body: 'TaskRequest',
    headers: IDEMPOTENCY,
    answers: { 202: { description: 'The task', json: 'AcceptedTask' } },
    problems: [...SUBMIT_PROBLEMS, 'idempotency_conflict'],
  },
  submitTasks: {
    group: 'Submit',
    summary: 'Submit up to 10,000 documents by their URLs',
    note: CONCURRENCY_KEY,
    body: 'TaskBatchRequest',
    headers: IDEMPOTENCY,
    answers: { 202: { description: 'What was accepted, and what was not and why', json: 'SubmittedTasks' } },
    problems: [...SUBMIT_PROBLEMS, 'payload_too_large', 'idempotency_conflict', 'nothing_accepted'],
  },
  listTasks: {
    group: 'Tasks',
    summary: 'List tasks',
    query: taskListQuerySchema,
    answers: { 200: { description: 'One page of tasks', json: 'TaskList' } },
    problems: ['queue_not_found'],
  },
  actOnTasks: {
    group: 'Tasks',
    summary: 'Act on all tasks that match',
    body: 'TaskAction',
    answers: { 202: { description: 'An operation was begun', json: 'OperationStarted' } },
    problems: ['queue_not_found'],
  },
  getTask: { group: 'Tasks', summary: 'Read a task', answers: TASK_ANSWER },
  getTaskEvents: {
    group: 'Tasks',
    summary: "Read a task's timeline",
    answers: { 200: { description: 'What happened to it', json: 'TaskEvents' } },
  },
  getTaskResult: {
    group: 'Results',
    summary: "Read a task's result",
    query: resultQuerySchema,
    answers: {
      200: {
        description: 'The result in the format asked for, of a document or of a page',
        json: ['DocumentResult', 'PageResult'],
        media: ['text/markdown', 'text/plain'],
      },
      202: { description: 'Not finished: the pages that are done so far', json: 'PartialResult' },
    },
    problems: ['task_cancelled', 'result_expired', 'not_implemented'],
  },
  listPages: {
    group: 'Results',
    summary: 'List the pages of a document',
    answers: { 200: { description: 'Its pages', json: 'PageList' } },
  },
  getPage: {
    group: 'Results',
    summary: "Read a page's result",
    answers: { 200: { description: 'The page', json: 'PageResult' } },
    problems: ['result_expired'],
  },
  getPageImage: {
    group: 'Results',
    summary: 'The page as displayed',
    answers: {
      200: { description: 'Its picture', media: ['image/png', 'image/jpeg', 'image/webp'] },
      304: { description: 'The picture that If-None-Match names is still the right one' },
    },
    problems: ['result_expired'],
  },
  cancelTask: { group: 'Tasks', summary: 'Cancel a task', answers: TASK_ANSWER, problems: ['invalid_state'] },
  reprioritizeTask: {
    group: 'Tasks',
    summary: "Change a task's priority",
    body: 'PriorityRequest',
    answers: TASK_ANSWER,
    problems: ['invalid_state'],
  },
  deleteTask: {
    group: 'Tasks',
    summary: 'Forget a task and delete its files',
    answers: { 204: { description: 'It is gone' } },
    problems: ['invalid_state'],
  },
  getOperation: {
    group: 'Tasks',
    summary: 'Read the progress of an operation',
    answers: { 200: { description: 'The operation', json: 'Operation' } },
  },
  listDeadLetters: {
    group: 'Dead letters',
    summary: 'List dead letters',
    query: deadLetterQuerySchema,
    answers: { 200: { description: 'One page of them, and all of them by code', json: 'DeadLetterList' } },
    problems: ['queue_not_found'],
  },
  retryDeadLetters: {
    group: 'Dead letters',
    summary: 'Put dead letters back in line',
    body: 'DeadLetterAction',
    answers: { 200: { description: 'By id: what was put back', json: 'RetryAnswer' }, 202: BEGUN },
    problems: ['queue_not_found'],
  },
  purgeDeadLetters: {
    group: 'Dead letters',
    summary: 'Forget dead letters',
    body: 'DeadLetterAction',
    answers: { 200: { description: 'By id: what was forgotten', json: 'PurgeAnswer' }, 202: BEGUN },
    problems: ['queue_not_found'],
  },
  listQueues: { group: 'Queues and workers', summary: 'List queues', answers: { 200: { description: 'The queues', json: 'QueueNames' } } },
  getQueue: {
    group: 'Queues and workers',
    summary: 'Read the state of a queue',
    query: queueQuerySchema,
    answers: QUEUE_ANSWER,
    problems: ['queue_not_found'],
  },
  getQueueHistory: {
    group: 'Queues and workers',
    summary: 'Read the history of a queue',
    query: historyQuerySchema,
    answers: { 200: { description: 'A point for each minute', json: 'History' } },
    problems: ['queue_not_found'],
  },
  pauseQueue: {
    group: 'Queues and workers',
    summary: 'Pause a queue',
    query: queueQuerySchema,
    answers: QUEUE_ANSWER,
    problems: ['queue_not_found'],
  },
  resumeQueue: {
    group: 'Queues and workers',
    summary: 'Resume a queue',
    query: queueQuerySchema,
    answers: QUEUE_ANSWER,
    problems: ['queue_not_found'],
  },
  listWorkers: {
    group: 'Queues and workers',
    summary: 'List workers',
    answers: { 200: { description: 'The workers', json: 'WorkerList' } },
  },
  getSession: {
    group: 'Session',
    summary: 'Who am I',
    answers: { 200: { description: 'The caller', json: 'Session' } },
    problems: ['unauthorized'],
  },
  openSession: {
    group: 'Session',
    summary: 'Log in: a token for a cookie',
    body: 'LoginRequest',
    answers: { 200: { description: 'The caller; the cookie is set', json: 'Session' } },
    problems: ['unauthorized'],
  },
  closeSession: { group: 'Session', summary: 'Log out', answers: { 204: { description: 'The session has ended' } } },
  getSystem: {
    group: 'System',
    summary: 'What the server works with',
    query: queueQuerySchema,
    answers: { 200: { description: 'Redis, what the queue and the server go by, and when they warn', json: 'System' } },
    problems: ['queue_not_found'],
  },
  setAlertThresholds: {
    group: 'System',
    summary: 'Change when the servers warn',
    body: 'AlertThresholdsRequest',
    answers: { 200: { description: 'The thresholds', json: 'AlertThresholds' } },
  },
  listAudit: { group: 'System', summary: 'What admins did', answers: { 200: { description: 'Newest first', json: 'AuditList' } } },
  getOpenApi: { group: 'System', summary: 'This document', answers: { 200: { description: 'OpenAPI 3.1', json: 'any' } } },
  getMetrics: {
    group: 'System',
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'Text format', media: ['text/plain'] } },
  },
  getHealth: { group: 'System', summary: 'Liveness', answers: { 200: { description: 'The process lives', json: 'Health' } } },
  getReadiness: {
    group: 'System',
    summary: 'Readiness',
    answers: { 200: { description: 'It can take work', json: 'Readiness' }, 503: { description: 'It cannot, and why', json: 'Readiness' } },
  },
};
