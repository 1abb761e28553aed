import {
  acceptedTaskSchema,
  auditListSchema,
  deadLetterActionSchema,
  deadLetterListSchema,
  deadLetterQuerySchema,
  documentResultSchema,
  healthSchema,
  historyQuerySchema,
  historySchema,
  operationSchema,
  operationStartedSchema,
  pageListSchema,
  pageResultSchema,
  priorityRequestSchema,
  purgeAnswerSchema,
  queueNamesSchema,
  queueQuerySchema,
  queueSnapshotSchema,
  type RouteName,
  readinessSchema,
  resultQuerySchema,
  retryAnswerSchema,
  sessionRequestSchema,
  sessionSchema,
  submitDocumentsSchema,
  submitTasksSchema,
  taskActionSchema,
  taskBatchRequestSchema,
  taskEventsSchema,
  taskListQuerySchema,
  taskListSchema,
  taskRequestSchema,
  taskSchema,
  workerListSchema,
} from '@galley/contract';
import * as z from 'zod/mini';

/** What the OpenAPI document says of a route beside its method, path and role. */
export interface OperationFacts {
  readonly summary: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly status: number;
  /** Null: an answer that is not JSON, or none. */
  readonly answer: z.ZodMiniType | null;
}

export const OPERATIONS: Readonly<Record<RouteName, OperationFacts>> = {
  submitDocuments: { summary: 'Upload documents', status: 202, answer: submitDocumentsSchema },
  submitTask: { summary: 'Submit a document by its URL', body: taskRequestSchema, status: 202, answer: acceptedTaskSchema },
  submitTasks: { summary: 'Submit many documents by their URLs', body: taskBatchRequestSchema, status: 202, answer: submitTasksSchema },
  listTasks: { summary: 'List tasks', query: taskListQuerySchema, status: 200, answer: taskListSchema },
  actOnTasks: { summary: 'Act on all tasks that match', body: taskActionSchema, status: 202, answer: operationStartedSchema },
  getTask: { summary: 'Read a task', status: 200, answer: taskSchema },
  getTaskEvents: { summary: "Read a task's timeline", status: 200, answer: taskEventsSchema },
  getTaskResult: { summary: "Read a task's result", query: resultQuerySchema, status: 200, answer: documentResultSchema },
  listPages: { summary: 'List the pages of a document', status: 200, answer: pageListSchema },
  getPage: { summary: "Read a page's result", status: 200, answer: pageResultSchema },
  getPageImage: { summary: 'The page as displayed', status: 200, answer: null },
  cancelTask: { summary: 'Cancel a task', status: 200, answer: taskSchema },
  reprioritizeTask: { summary: "Change a task's priority", body: priorityRequestSchema, status: 200, answer: taskSchema },
  deleteTask: { summary: 'Forget a task and delete its files', status: 204, answer: null },
  getOperation: { summary: 'Read the progress of an operation', status: 200, answer: operationSchema },
  listDeadLetters: { summary: 'List dead letters', query: deadLetterQuerySchema, status: 200, answer: deadLetterListSchema },
  retryDeadLetters: { summary: 'Put dead letters back in line', body: deadLetterActionSchema, status: 200, answer: retryAnswerSchema },
  purgeDeadLetters: { summary: 'Forget dead letters', body: deadLetterActionSchema, status: 200, answer: purgeAnswerSchema },
  listQueues: { summary: 'List queues', status: 200, answer: queueNamesSchema },
  getQueue: { summary: 'Read the state of a queue', query: queueQuerySchema, status: 200, answer: queueSnapshotSchema },
  getQueueHistory: { summary: 'Read the history of a queue', query: historyQuerySchema, status: 200, answer: historySchema },
  pauseQueue: { summary: 'Pause a queue', query: queueQuerySchema, status: 200, answer: queueSnapshotSchema },
  resumeQueue: { summary: 'Resume a queue', query: queueQuerySchema, status: 200, answer: queueSnapshotSchema },
  listWorkers: { summary: 'List workers', status: 200, answer: workerListSchema },
  getSession: { summary: 'Who am I', status: 200, answer: sessionSchema },
  openSession: { summary: 'Log in', body: sessionRequestSchema, status: 200, answer: sessionSchema },
  closeSession: { summary: 'Log out', status: 204, answer: null },
  listAudit: { summary: 'What admins did', status: 200, answer: auditListSchema },
  getOpenApi: { summary: 'This document', status: 200, answer: z.looseObject({}) },
  getMetrics: { summary: 'Metrics for Prometheus', status: 200, answer: null },
  getHealth: { summary: 'Liveness', status: 200, answer: healthSchema },
  getReadiness: { summary: 'Readiness', status: 200, answer: readinessSchema },
};
