import { ERROR_CODES, ROUTES } from '@galley/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestServer } from '../testing/start.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';

const document = openApiDocument();
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1, by a validator that is not ours', async () => {
    const copy: Record<string, unknown> = JSON.parse(JSON.stringify(document));
    const verdict = await new Validator().validate(copy);
    expect(verdict.errors ?? []).toEqual([]);
    expect(verdict.valid).toBe(true);
  });

  test('names every route once, with its parameters', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(ROUTES).sort());
    expect(document.paths['/api/v1/tasks/{id}/pages/{n}']?.['get']?.parameters.map(({ name }) => name)).toEqual(['id', 'n']);
    expect(document.paths['/api/v1/tasks']?.['get']?.parameters.map(({ name }) => name)).toContain('cursor');
    expect(document.paths['/api/v1/tasks']?.['post']?.parameters.map(({ name }) => name)).toContain('Idempotency-Key');
  });

  test('every reference leads somewhere, and every error code is listed', () => {
    const text = JSON.stringify(document);
    const named = new Set(Object.keys(document.components.schemas));
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((reference) => !named.has(reference.replace('#/components/schemas/', '')))).toEqual([]);
    for (const code of ERROR_CODES) expect(text).toContain(`"${code}"`);
  });

  test('says who may call what', () => {
    for (const { operationId, security, responses } of operations) {
      const isOpen = ROUTES[operationId].role === 'none';
      expect(security, operationId).toEqual(isOpen ? [] : undefined);
      expect('403' in responses, operationId).toBe(true);
      if (!isOpen) expect('401' in responses, operationId).toBe(true);
    }
  });
});

describe('the page of it', () => {
  let galley: TestServer;
  beforeAll(async () => {
    galley = await TestServer.start();
  });
  afterAll(() => galley.stop());

  test('shows every operation and schema, runs no script and loads only its own style', async () => {
    const answer = await galley.call('GET', '/docs');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = String(answer.body);
    for (const { operationId } of operations) expect(html).toContain(`<section id="${operationId}">`);
    for (const name of Object.keys(document.components.schemas)) expect(html).toContain(`<section id="schema-${name}">`);
    const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
    expect(anchors.filter((anchor) => !html.includes(`id="${anchor}"`))).toEqual([]);
    expect(html).not.toMatch(/<script|style="|\son[a-z]+=|<(img|iframe|object|base)\b/i);
    expect([...html.matchAll(/<link[^>]*href="([^"]+)"/g)].map(([, href]) => href)).toEqual(['/docs/style.css']);
    const style = await galley.call('GET', '/docs/style.css');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(String(style.body)).not.toContain('url(');
  });

  test('keeps text that looks like HTML as text', () => {
    const html = docsPage({ ...document, info: { ...document.info, description: '<script>alert(1)</script>' } }, '/docs/style.css');
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });
});
