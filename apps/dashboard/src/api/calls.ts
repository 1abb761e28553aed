import {
  auditListSchema,
  type DeadLetterAction,
  deadLetterListSchema,
  type HistoryRange,
  historySchema,
  operationSchema,
  operationStartedSchema,
  pageListSchema,
  pageResultSchema,
  purgeAnswerSchema,
  queueNamesSchema,
  queueSnapshotSchema,
  type Readiness,
  readinessSchema,
  retryAnswerSchema,
  sessionSchema,
  type TaskAction,
  type TaskState,
  taskEventsSchema,
  taskListSchema,
  taskSchema,
  workerListSchema,
} from '@galley/contract';
import * as z from 'zod/mini';
import { call, callAny, callEmpty, parseAnswer, type QueryValue } from './client.ts';

type Signal = AbortSignal | undefined;

/** What `GET /tasks` takes; states and the like as lists. */
export interface TaskListFilter extends Readonly<Record<string, QueryValue>> {
  readonly queue?: string | undefined;
  readonly status?: readonly TaskState[] | undefined;
  readonly user_id?: string | undefined;
  readonly priority?: number | string | undefined;
  readonly engine?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly q?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

// Reads

export const getQueue = (queue: string, signal?: Signal) => call('getQueue', queueSnapshotSchema, { query: { queue }, signal });
export const getQueueHistory = (queue: string, range: HistoryRange, signal?: Signal) =>
  call('getQueueHistory', historySchema, { query: { queue, range }, signal });
export const listQueues = (signal?: Signal) => call('listQueues', queueNamesSchema, { signal });
export const listWorkers = (signal?: Signal) => call('listWorkers', workerListSchema, { signal });
export const listTasks = (filter: TaskListFilter, signal?: Signal) => call('listTasks', taskListSchema, { query: filter, signal });
export const getTask = (id: string, signal?: Signal) => call('getTask', taskSchema, { params: { id }, signal });
export const getTaskEvents = (id: string, signal?: Signal) => call('getTaskEvents', taskEventsSchema, { params: { id }, signal });
export const listPages = (id: string, signal?: Signal) => call('listPages', pageListSchema, { params: { id }, signal });
export const getPage = (id: string, n: number, signal?: Signal) => call('getPage', pageResultSchema, { params: { id, n }, signal });
export const listDeadLetters = (
  filter: { queue?: string | undefined; code?: string | undefined; cursor?: string | undefined; limit?: number | undefined },
  signal?: Signal,
) => call('listDeadLetters', deadLetterListSchema, { query: filter, signal });
export const getOperation = (id: string, signal?: Signal) => call('getOperation', operationSchema, { params: { id }, signal });
export const getSession = (signal?: Signal) => call('getSession', sessionSchema, { signal });

// Writes

export const openSession = (token: string) => call('openSession', sessionSchema, { body: { token } });
export const closeSession = () => callEmpty('closeSession');
export const pauseQueue = (queue: string) => call('pauseQueue', queueSnapshotSchema, { query: { queue } });
export const resumeQueue = (queue: string) => call('resumeQueue', queueSnapshotSchema, { query: { queue } });
export const cancelTask = (id: string) => call('cancelTask', taskSchema, { params: { id } });
export const reprioritizeTask = (id: string, priority: number | string) =>
  call('reprioritizeTask', taskSchema, { params: { id }, body: { priority } });
export const deleteTask = (id: string) => callEmpty('deleteTask', { params: { id } });
export const actOnTasks = (action: TaskAction) => call('actOnTasks', operationStartedSchema, { body: action });

const retryEither = z.union([retryAnswerSchema, operationStartedSchema]);
const purgeEither = z.union([purgeAnswerSchema, operationStartedSchema]);

/** By ids the counts come back at once; for all, an operation whose progress comes over the wire. */
export const retryDeadLetters = (action: DeadLetterAction) => call('retryDeadLetters', retryEither, { body: action });
export const purgeDeadLetters = (action: DeadLetterAction) => call('purgeDeadLetters', purgeEither, { body: action });

// About the server itself

/** Ready or not; a server that is not ready answers 503 with the same facts. */
export async function getReadiness(signal?: Signal): Promise<Readiness> {
  const response = await callAny('getReadiness', { signal });
  return parseAnswer(readinessSchema, await response.json(), response.status, 'getReadiness');
}

export const listAudit = (signal?: Signal) => call('listAudit', auditListSchema, { signal });
