import { ROUTES, type RouteName } from '@galley/contract';
import { type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonSchema } from '../system/api-schemas.ts';
import type { OpenApiDocument, Operation } from '../system/openapi.ts';

/** An answer as it came over HTTP. */
export interface Received {
  readonly status: number;
  readonly contentType: string | null;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

/** A field that the document does not describe is a fault of the document, so no object may have one here. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const walked = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]));
  return 'properties' in walked && !('additionalProperties' in walked) ? { ...walked, additionalProperties: false } : walked;
}

/** Holds answers against what the OpenAPI document says of their operation. */
export class Conformance {
  private readonly document: OpenApiDocument;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly seen = new Map<string, Set<number>>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    formats.default(this.ajv);
  }

  private operation(name: RouteName): Operation {
    const { path, method } = ROUTES[name];
    const operation = this.document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${name} is not in the document`);
    return operation;
  }

  /** What is wrong with the answer, in words; nothing where it conforms. */
  faultsOf(name: RouteName, { status, contentType, body }: Received): string[] {
    this.seen.set(name, (this.seen.get(name) ?? new Set()).add(status));
    const answer = this.operation(name).responses[String(status)];
    if (answer === undefined) return [`${name} answers ${status}, which is not described: ${JSON.stringify(body)?.slice(0, 200)}`];
    const type = contentType?.split(';')[0]?.trim() ?? null;
    if (answer.content === undefined) return type === null ? [] : [`${name} answers ${status} with ${type}, and no content is described`];
    const content = answer.content[type ?? ''];
    if (content === undefined) return [`${name} answers ${status} with ${type}, which is not described`];
    if (type?.endsWith('json') !== true) return [];
    return this.schemaFaults(content.schema, body).map((fault) => `${name} ${status}: ${fault}`);
  }

  private schemaFaults(schema: JsonSchema, body: unknown): string[] {
    const whole: unknown = closed({ ...schema, components: this.document.components });
    const validate = this.ajv.compile(whole as AnySchema);
    if (validate(body) === true) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`);
  }

  /** Operations and good statuses of the document that no answer has shown. */
  unseen(): string[] {
    return (Object.keys(ROUTES) as RouteName[]).flatMap((name) =>
      Object.keys(this.operation(name).responses)
        .filter((status) => Number(status) < 400 && this.seen.get(name)?.has(Number(status)) !== true)
        .map((status) => `${name} ${status}`),
    );
  }
}
