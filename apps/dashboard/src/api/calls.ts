import type { AlertThresholds, DeadLetterAction, HistoryRange, Readiness, TaskAction, TaskState } from '@galley/contract';
import { call, callAny, callEmpty, parseBody, type QueryValue } from './client.ts';

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

export const getQueue = (queue: string, signal?: Signal) =>
  call('getQueue', (schemas) => schemas.queueSnapshotSchema, { query: { queue }, signal });
export const getQueueHistory = (queue: string, range: HistoryRange, signal?: Signal) =>
  call('getQueueHistory', (schemas) => schemas.historySchema, { query: { queue, range }, signal });
export const listQueues = (signal?: Signal) => call('listQueues', (schemas) => schemas.queueNamesSchema, { signal });
export const listWorkers = (signal?: Signal) => call('listWorkers', (schemas) => schemas.workerListSchema, { signal });
export const listTasks = (filter: TaskListFilter, signal?: Signal) =>
  call('listTasks', (schemas) => schemas.taskListSchema, { query: filter, signal });
export const getTask = (id: string, signal?: Signal) => call('getTask', (schemas) => schemas.taskSchema, { params: { id }, signal });
export const getTaskEvents = (id: string, signal?: Signal) =>
  call('getTaskEvents', (schemas) => schemas.taskEventsSchema, { params: { id }, signal });
export const listPages = (id: string, signal?: Signal) =>
  call('listPages', (schemas) => schemas.pageListSchema, { params: { id }, signal });
export const getPage = (id: string, n: number, signal?: Signal) =>
  call('getPage', (schemas) => schemas.pageResultSchema, { params: { id, n }, signal });
export const listDeadLetters = (
  filter: { queue?: string | undefined; code?: string | undefined; cursor?: string | undefined; limit?: number | undefined },
  signal?: Signal,
) => call('listDeadLetters', (schemas) => schemas.deadLetterListSchema, { query: filter, signal });
export const getOperation = (id: string, signal?: Signal) =>
  call('getOperation', (schemas) => schemas.operationSchema, { params: { id }, signal });
export const getSession = (signal?: Signal) => call('getSession', (schemas) => schemas.sessionSchema, { signal });

// Writes

export const openSession = (token: string) => call('openSession', (schemas) => schemas.sessionSchema, { body: { token } });
export const closeSession = () => callEmpty('closeSession');
export const pauseQueue = (queue: string) => call('pauseQueue', (schemas) => schemas.queueSnapshotSchema, { query: { queue } });
export const resumeQueue = (queue: string) => call('resumeQueue', (schemas) => schemas.queueSnapshotSchema, { query: { queue } });
export const cancelTask = (id: string) => call('cancelTask', (schemas) => schemas.taskSchema, { params: { id } });
export const reprioritizeTask = (id: string, priority: number | string) =>
  call('reprioritizeTask', (schemas) => schemas.taskSchema, { params: { id }, body: { priority } });
export const deleteTask = (id: string) => callEmpty('deleteTask', { params: { id } });
export const actOnTasks = (action: TaskAction) => call('actOnTasks', (schemas) => schemas.operationStartedSchema, { body: action });

/** By ids the counts come back at once; for all, an operation whose progress comes over the wire. */
export const retryDeadLetters = (action: DeadLetterAction) => call('retryDeadLetters', (schemas) => schemas.retrySchema, { body: action });
export const purgeDeadLetters = (action: DeadLetterAction) => call('purgeDeadLetters', (schemas) => schemas.purgeSchema, { body: action });

// About the server itself

/** Ready or not; a server that is not ready answers 503 with the same facts. */
export async function getReadiness(signal?: Signal): Promise<Readiness> {
  return parseBody(await callAny('getReadiness', { signal }), 'getReadiness', (schemas) => schemas.readinessSchema);
}

export const listAudit = (signal?: Signal) => call('listAudit', (schemas) => schemas.auditListSchema, { signal });
export const getSystem = (queue: string, signal?: Signal) =>
  call('getSystem', (schemas) => schemas.systemSchema, { query: { queue }, signal });
export const setAlertThresholds = (thresholds: AlertThresholds) =>
  call('setAlertThresholds', (schemas) => schemas.alertThresholdsSchema, { body: thresholds });
