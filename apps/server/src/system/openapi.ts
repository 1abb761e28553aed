import { ERROR_CODES, problemSchema, ROUTES, type RouteName } from '@galley/contract';
import * as z from 'zod/mini';
import { OPERATIONS, type OperationFacts } from './operations.ts';
import { VERSION } from './version.ts';

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

function parametersOf(path: string, query: z.ZodMiniType | undefined): object[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => ({ name: match[1], in: 'path', required: true, schema: { type: 'string' } }));
  if (query === undefined) return inPath;
  const { properties } = jsonSchema(query, 'input');
  const fields: [string, unknown][] = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  return [...inPath, ...fields.map(([name, schema]) => ({ name, in: 'query', required: false, schema }))];
}

const UPLOAD_BODY = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: {
          file: { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } },
          priority: { type: 'string' },
          user_id: { type: 'string' },
          engine: { type: 'string' },
          dedupe: { type: 'string', enum: ['true', 'false'] },
          callback_url: { type: 'string' },
        },
      },
    },
  },
};

function operationOf(name: RouteName, facts: OperationFacts): object {
  const route = ROUTES[name];
  const body =
    facts.body === undefined ? undefined : { required: true, content: { 'application/json': { schema: jsonSchema(facts.body, 'input') } } };
  return {
    operationId: name,
    summary: facts.summary,
    ...(route.role === 'none' ? { security: [] } : { description: `Needs the role ${route.role}.` }),
    parameters: parametersOf(route.path, facts.query),
    ...(name === 'submitDocuments' ? { requestBody: UPLOAD_BODY } : body === undefined ? {} : { requestBody: body }),
    responses: {
      [facts.status]: {
        description: facts.summary,
        ...(facts.answer === null ? {} : { content: { 'application/json': { schema: jsonSchema(facts.answer, 'output') } } }),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

/** OpenAPI 3.1, from the schemas that requests and answers are parsed by. */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, facts] of Object.entries(OPERATIONS) as [RouteName, OperationFacts][]) {
    const { path, method } = ROUTES[name];
    const address = path.replace(/:(\w+)/g, '{$1}');
    paths[address] = { ...paths[address], [method.toLowerCase()]: operationOf(name, facts) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Galley', version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: 'galley_session' } },
      responses: {
        Problem: {
          description: `RFC 9457 problem details; "code" is one of ${ERROR_CODES.join(', ')}`,
          content: { 'application/problem+json': { schema: jsonSchema(problemSchema, 'output') } },
        },
      },
    },
  };
}
