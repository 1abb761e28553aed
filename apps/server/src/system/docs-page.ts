import type { JsonSchema } from './api-schemas.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

type Placed = Operation & { readonly method: string; readonly path: string };

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasIn(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function linkTo(name: string): string {
  return `<a href="#schema-${escape(name)}">${escape(name)}</a>`;
}

function limitsOf(schema: JsonSchema): string {
  const words: [string, string][] = [
    ['minimum', 'at least'],
    ['maximum', 'at most'],
    ['maxLength', 'longest'],
    ['maxItems', 'at most'],
    ['pattern', 'matches'],
  ];
  const parts = words.flatMap(([key, word]) => {
    const value = schema[key];
    const isBound = typeof value === 'string' || (typeof value === 'number' && Math.abs(value) !== Number.MAX_SAFE_INTEGER);
    return isBound ? [`${word} <code>${escape(String(value))}</code>`] : [];
  });
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

/** A schema in one line, with links to those that have a name. */
function typeOf(schema: JsonSchema): string {
  const reference = schema['$ref'];
  if (typeof reference === 'string') return linkTo(reference.split('/').at(-1) ?? '');
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `<code>${escape(JSON.stringify(value))}</code>`).join(' or ');
  if ('const' in schema) return `<code>${escape(JSON.stringify(schema['const']))}</code>`;
  const choices = [...schemasIn(schema['anyOf']), ...schemasIn(schema['oneOf'])];
  if (choices.length > 0) return choices.map(typeOf).join(' or ');
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'any';
  if (type === 'array') return `list of ${isSchema(schema['items']) ? typeOf(schema['items']) : 'anything'}${limitsOf(schema)}`;
  if (type === 'object' && isSchema(schema['properties'])) {
    const required = requiredOf(schema);
    const fields = Object.entries(schema['properties']).map(
      ([name, field]) => `<code>${escape(name)}</code>${required.has(name) ? '' : '?'}: ${isSchema(field) ? typeOf(field) : 'any'}`,
    );
    return `{ ${fields.join('; ')} }`;
  }
  if (type === 'object' && isSchema(schema['additionalProperties'])) return `object of ${typeOf(schema['additionalProperties'])} by name`;
  return `${escape(type)}${limitsOf(schema)}`;
}

function requiredOf(schema: JsonSchema): ReadonlySet<unknown> {
  return new Set(Array.isArray(schema['required']) ? schema['required'] : []);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]): string => `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<div class="scroll"><table><thead>${cells('th', head)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table></div>`;
}

function fieldsTable(schema: JsonSchema): string {
  const { properties } = schema;
  if (!isSchema(properties)) return `<p>${typeOf(schema)}</p>`;
  const required = requiredOf(schema);
  return table(
    ['field', 'type', ''],
    Object.entries(properties).map(([name, field]) => [
      `<code>${escape(name)}</code>`,
      isSchema(field) ? typeOf(field) : 'any',
      required.has(name) ? 'always' : '',
    ]),
  );
}

function contentOf(content: Operation['responses'][string]['content']): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) => `${typeOf(schema)} <code>${escape(type)}</code>`)
    .join('<br>');
}

function bodyOf({ requestBody }: Operation): string {
  const [entry] = Object.entries(requestBody?.content ?? {});
  if (entry === undefined) return '';
  const [type, { schema }] = entry;
  const shape = '$ref' in schema ? `<p>${typeOf(schema)}</p>` : fieldsTable(schema);
  return `<h4>Body</h4><p><code>${escape(type)}</code></p>${shape}`;
}

function exampleOf({ method, path, requestBody, security }: Placed): string {
  const types = Object.keys(requestBody?.content ?? {});
  const body = types.includes('multipart/form-data')
    ? ' -F file=@scan.pdf'
    : types.length > 0
      ? " -H 'Content-Type: application/json' -d '{…}'"
      : '';
  const token = security === undefined ? " -H 'Authorization: Bearer <token>'" : '';
  return `<pre>${escape(`curl -X ${method}${token}${body} http://127.0.0.1:7300${path}`)}</pre>`;
}

function operationSection(operation: Placed): string {
  const { operationId, method, path, summary, description, parameters, responses } = operation;
  const rows = parameters.map((parameter) => [
    `<code>${escape(parameter.name)}</code>`,
    parameter.in,
    `${typeOf(parameter.schema)}${parameter.description === undefined ? '' : `<br>${escape(parameter.description)}`}`,
  ]);
  const answers = Object.entries(responses).map(([status, answer]) => [status, escape(answer.description), contentOf(answer.content)]);
  return [
    `<section id="${operationId}"><h3>${escape(summary)}</h3>`,
    `<p><span class="method">${method}</span> <code>${escape(path)}</code></p><p>${escape(description)}</p>`,
    exampleOf(operation),
    rows.length === 0 ? '' : `<h4>Parameters</h4>${table(['name', 'in', 'type'], rows)}`,
    bodyOf(operation),
    `<h4>Answers</h4>${table(['status', 'when', 'body'], answers)}</section>`,
  ].join('');
}

/** The whole document as one page of HTML, with no script. `stylePath`: where its style is served. */
export function docsPage(document: OpenApiDocument, stylePath: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const groups = document.tags.map(({ name }) => ({ name, own: operations.filter(({ tags }) => tags.includes(name)) }));
  const menu = groups.map(
    ({ name, own }) =>
      `<p><strong>${escape(name)}</strong></p><ul>${own.map((entry) => `<li><a href="#${entry.operationId}">${escape(entry.summary)}</a></li>`).join('')}</ul>`,
  );
  const sections = groups.map(({ name, own }) => `<h2>${escape(name)}</h2>${own.map(operationSection).join('')}`);
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `<section id="schema-${escape(name)}"><h3>${escape(name)}</h3>${fieldsTable(schema)}</section>`,
  );
  const { title, version, description } = document.info;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(title)}: the HTTP API</title><link rel="stylesheet" href="${escape(stylePath)}"></head>`,
    `<body><nav aria-label="Operations">${menu.join('')}<p><a href="#schemas">Schemas</a></p></nav>`,
    `<main><h1>${escape(title)} ${escape(version)}: the HTTP API</h1><p>${escape(description)}</p>`,
    '<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a>, from which a client can be generated.</p>',
    `${sections.join('')}<h2 id="schemas">Schemas</h2>${schemas.join('')}</main></body></html>`,
  ].join('\n');
}
