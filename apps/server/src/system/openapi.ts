import {
  documentFieldsSchema,
  ERROR_CATALOGUE,
  ERROR_CODES,
  type ErrorCode,
  FILES_PER_REQUEST,
  PROBLEM_CONTENT_TYPE,
  ROUTES,
  type Route,
  type RouteName,
} from '@galley/contract';
import { isRouteName, WITHOUT_REDIS } from '../http/route-table.ts';
import { SESSION_COOKIE } from '../session/authenticator.ts';
import { componentSchemas, fieldsOf, type JsonSchema, reference } from './api-schemas.ts';
import { type AnswerFacts, OPERATION_GROUPS, OPERATIONS, type OperationFacts } from './operations.ts';
import { VERSION } from './version.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Content {
  readonly [mediaType: string]: { readonly schema: JsonSchema };
}

interface Answer {
  readonly description: string;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: RouteName;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly never[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** The part of OpenAPI 3.1 that Galley's document uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string; readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: object; readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const DESCRIPTION = [
  'Timestamps are ISO-8601 UTC with milliseconds; fields that end in _ms and counts are integers; a lower priority runs first.',
  'Errors are RFC 9457 problem details with a stable code. A 429 or 503 carries Retry-After in seconds.',
  "Every answer carries X-Request-Id: the caller's, where it sent one of up to 64 letters, digits, dots, dashes or underscores.",
  'Answers may gain fields; a request with a field that is not described is refused.',
].join(' ');

/** What any request may be refused with, whatever its route. */
const COMMON: readonly ErrorCode[] = ['host_not_allowed', 'origin_not_allowed', 'rate_limited', 'internal_error'];
const BEHIND_REDIS: readonly ErrorCode[] = ['redis_unavailable', 'shutting_down'];
const OF_ROLE: readonly ErrorCode[] = ['unauthorized', 'forbidden'];

function parametersOf({ path }: Route, { query, headers }: OperationFacts): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(
    ([, name = '']): Parameter => ({ name, in: 'path', required: true, schema: { type: 'string' } }),
  );
  const inQuery = Object.entries(query === undefined ? {} : fieldsOf(query)).map(
    ([name, schema]): Parameter => ({ name, in: 'query', required: false, schema }),
  );
  const inHeaders = Object.entries(headers ?? {}).map(
    ([name, description]): Parameter => ({ name, in: 'header', required: false, description, schema: { type: 'string' } }),
  );
  return [...inPath, ...inQuery, ...inHeaders];
}

function uploadForm(): JsonSchema {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  return {
    type: 'object',
    required: ['file'],
    properties: { file: { type: 'array', minItems: 1, maxItems: FILES_PER_REQUEST, items: file }, ...fieldsOf(documentFieldsSchema) },
  };
}

function bodyOf(name: RouteName, { body }: OperationFacts): Operation['requestBody'] {
  if (name === 'submitDocuments') return { required: true, content: { 'multipart/form-data': { schema: uploadForm() } } };
  return body === undefined ? undefined : { required: true, content: { 'application/json': { schema: reference(body) } } };
}

function schemaOf(json: NonNullable<AnswerFacts['json']>): JsonSchema {
  if (json === 'any') return {};
  return typeof json === 'string' ? reference(json) : { anyOf: json.map(reference) };
}

function answerOf({ description, json, media = [] }: AnswerFacts): Answer {
  const content: Content = {
    ...(json === undefined ? {} : { 'application/json': { schema: schemaOf(json) } }),
    ...Object.fromEntries(media.map((type) => [type, { schema: { type: 'string' } }])),
  };
  return { description, ...(Object.keys(content).length === 0 ? {} : { content }) };
}

/** The codes that a route may refuse with. */
export function problemCodesOf(name: RouteName): ErrorCode[] {
  const route: Route = ROUTES[name];
  const facts = OPERATIONS[name];
  const takesInput = facts.query !== undefined || facts.body !== undefined || route.method !== 'GET';
  return [
    ...(takesInput ? (['invalid_request', 'payload_too_large'] as const) : []),
    ...(route.role === 'none' ? [] : OF_ROLE),
    ...(route.path.includes('/tasks/:id') ? (['task_not_found'] as const) : []),
    ...(route.path.includes('/operations/:id') ? (['operation_not_found'] as const) : []),
    ...(route.path.includes('/:n') ? (['page_not_found'] as const) : []),
    ...(facts.problems ?? []),
    ...COMMON,
    ...(WITHOUT_REDIS.has(name) ? [] : BEHIND_REDIS),
  ];
}

function problemsOf(name: RouteName): Record<string, Answer> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of problemCodesOf(name)) {
    const { status } = ERROR_CATALOGUE[code];
    if (status === null) continue;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const content = { [PROBLEM_CONTENT_TYPE]: { schema: reference('Problem') } };
  return Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), { description: [...codes].join(', '), content }]));
}

function operationOf(name: RouteName): Operation {
  const route: Route = ROUTES[name];
  const facts = OPERATIONS[name];
  const requestBody = bodyOf(name, facts);
  const good = Object.fromEntries(Object.entries(facts.answers).map(([status, answer]) => [status, answerOf(answer)]));
  return {
    operationId: name,
    tags: [facts.group],
    summary: facts.summary,
    description: [
      route.role === 'none' ? 'Open to all.' : `Needs the role ${route.role} where tokens are configured.`,
      ...(facts.note === undefined ? [] : [facts.note]),
    ].join(' '),
    ...(route.role === 'none' ? { security: [] } : {}),
    parameters: parametersOf(route, facts),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...problemsOf(name), ...good },
  };
}

/** OpenAPI 3.1, from the schemas that requests and answers are parsed by. */
export function openApiDocument(): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const name of Object.keys(ROUTES).filter(isRouteName)) {
    const { path, method } = ROUTES[name];
    const address = path.replace(/:(\w+)/g, '{$1}');
    paths[address] = { ...paths[address], [method.toLowerCase()]: operationOf(name) };
  }
  const schemas = componentSchemas();
  return {
    openapi: '3.1.0',
    info: { title: 'Galley', version: VERSION, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: OPERATION_GROUPS.map((name) => ({ name })),
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE } },
      schemas: { ...schemas, ErrorCode: { type: 'string', enum: [...ERROR_CODES], description: 'What "code" of a problem may be.' } },
    },
  };
}
