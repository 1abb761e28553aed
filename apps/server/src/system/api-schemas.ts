import {
  acceptedDocumentSchema,
  acceptedTaskSchema,
  alertSchema,
  alertThresholdsSchema,
  auditEntrySchema,
  auditListSchema,
  blockSchema,
  deadLetterActionSchema,
  deadLetterListSchema,
  documentResultSchema,
  healthSchema,
  historyPointSchema,
  historySchema,
  lineSchema,
  operationSchema,
  operationStartedSchema,
  pageListSchema,
  pageResultSchema,
  pageStateSchema,
  partialResultSchema,
  priorityRequestSchema,
  problemSchema,
  purgeAnswerSchema,
  queueNamesSchema,
  queueSnapshotSchema,
  readinessSchema,
  redisFactsSchema,
  rejectedFileSchema,
  rejectedTaskSchema,
  retryAnswerSchema,
  sessionRequestSchema,
  sessionSchema,
  shardRowSchema,
  submitDocumentsSchema,
  submitTasksSchema,
  systemSchema,
  taskActionSchema,
  taskBatchRequestSchema,
  taskErrorSchema,
  taskEventSchema,
  taskEventsSchema,
  taskListSchema,
  taskRequestSchema,
  taskSchema,
  workerListSchema,
  workerSchema,
} from '@galley/contract';
import * as z from 'zod/mini';

/** JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Names under which answers stand in the OpenAPI document; a generated client names its types by them. */
const ANSWERS = {
  AcceptedDocument: acceptedDocumentSchema,
  AcceptedTask: acceptedTaskSchema,
  Alert: alertSchema,
  AlertThresholds: alertThresholdsSchema,
  AuditEntry: auditEntrySchema,
  AuditList: auditListSchema,
  Block: blockSchema,
  DeadLetterList: deadLetterListSchema,
  DocumentResult: documentResultSchema,
  Health: healthSchema,
  History: historySchema,
  HistoryPoint: historyPointSchema,
  Line: lineSchema,
  Operation: operationSchema,
  OperationStarted: operationStartedSchema,
  PageList: pageListSchema,
  PageResult: pageResultSchema,
  PageState: pageStateSchema,
  PartialResult: partialResultSchema,
  Problem: problemSchema,
  PurgeAnswer: purgeAnswerSchema,
  QueueNames: queueNamesSchema,
  QueueSnapshot: queueSnapshotSchema,
  Readiness: readinessSchema,
  RedisFacts: redisFactsSchema,
  RejectedFile: rejectedFileSchema,
  RejectedTask: rejectedTaskSchema,
  RetryAnswer: retryAnswerSchema,
  Session: sessionSchema,
  Shard: shardRowSchema,
  SubmittedDocuments: submitDocumentsSchema,
  SubmittedTasks: submitTasksSchema,
  System: systemSchema,
  Task: taskSchema,
  TaskError: taskErrorSchema,
  TaskEvent: taskEventSchema,
  TaskEvents: taskEventsSchema,
  TaskList: taskListSchema,
  Worker: workerSchema,
  WorkerList: workerListSchema,
} as const;

const REQUESTS = {
  AlertThresholdsRequest: alertThresholdsSchema,
  DeadLetterAction: deadLetterActionSchema,
  LoginRequest: sessionRequestSchema,
  PriorityRequest: priorityRequestSchema,
  TaskAction: taskActionSchema,
  TaskBatchRequest: taskBatchRequestSchema,
  TaskRequest: taskRequestSchema,
} as const;

export type AnswerName = keyof typeof ANSWERS;
export type RequestName = keyof typeof REQUESTS;

const referenceTo = (name: string): string => `#/components/schemas/${name}`;

export function reference(name: AnswerName | RequestName): JsonSchema {
  return { $ref: referenceTo(name) };
}

function convert(schemas: Readonly<Record<string, z.core.$ZodType>>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io, unrepresentable: 'any', uri: referenceTo });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [
      name,
      io === 'output' ? open(schema) : schema,
    ]),
  );
}

/** Answers may gain fields, so a client is not told that there are no others; a request with a field too many is refused. */
function open(value: unknown): JsonSchema {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).flatMap(([key, entry]) => (key === 'additionalProperties' && entry === false ? [] : [[key, walk(entry)]])),
    );
  };
  return z.record(z.string(), z.unknown()).parse(walk(value));
}

/** `components.schemas` of the document. */
export function componentSchemas(): Record<string, JsonSchema> {
  return { ...convert(ANSWERS, 'output'), ...convert(REQUESTS, 'input') };
}

/** What a query or a form may hold: each field's schema by its name. */
export function fieldsOf(schema: z.core.$ZodType): Record<string, JsonSchema> {
  const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.record(z.string(), z.record(z.string(), z.unknown())).parse(properties ?? {});
}
