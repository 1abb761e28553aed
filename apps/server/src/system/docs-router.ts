import { Router } from 'express';
import { docsPage } from './docs-page.ts';
import { DOCS_STYLE } from './docs-style.ts';
import { openApiDocument } from './openapi.ts';

const STYLE_PATH = '/docs/style.css';

/** The OpenAPI document as a page for people: no script at all, and its only style is a file of ours, as the policy of every answer asks. */
export function docsRouter(): Router {
  const router = Router({ caseSensitive: true });
  let page: string | null = null;
  router.get('/docs', (_request, response) => {
    page ??= docsPage(openApiDocument(), STYLE_PATH);
    response.set('cache-control', 'no-cache').type('html').send(page);
  });
  router.get(STYLE_PATH, (_request, response) => {
    response.set('cache-control', 'no-cache').type('css').send(DOCS_STYLE);
  });
  return router;
}
