import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '@galley/contract';
import express, { type RequestHandler, Router } from 'express';

/** The built dashboard, beside this app in the checkout and in the image alike. */
export const DASHBOARD_DIRECTORY = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url));

/** Addresses that the dashboard itself shows a page at. */
const PAGES = ['/', '/tasks', '/tasks/:id', '/tasks/:id/read', '/upload', '/dead-letters', '/system'] as const;

/** First parts of addresses that programs ask at: nothing under them is ever a page. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set([
  ...Object.values(ROUTES).map(({ path }) => path.split('/')[1] ?? ''),
  'socket.io',
  'assets',
]);
/** For names that carry a hash of their content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Galley</title>
<p>The server runs, but the dashboard is not built. Run <code>npm run build</code>, or start Galley with <code>npm start</code>.</p></html>`;

/** Built files whose compressed copies may lie beside them; a name holds no path but the folder of what is hashed. */
const COPIED = /^\/assets\/[\w-]+(?:\.[\w-]+)*\.(js|css|svg)$/;
const ENDINGS = { br: '.br', gzip: '.gz' } as const;

/** Answers with the copy that the build has compressed, in the best way that the browser takes. Anything else is left to the next handler. */
function compressedCopies(directory: string): RequestHandler {
  return (request, response, next) => {
    const [file, extension] = COPIED.exec(request.path) ?? [];
    if (file === undefined || extension === undefined) {
      next();
      return;
    }
    response.vary('accept-encoding');
    const encoding = (['br', 'gzip'] as const).find((one) => request.acceptsEncodings(one) === one);
    const copy = encoding === undefined ? null : file.slice(1) + ENDINGS[encoding];
    if (encoding === undefined || copy === null || !existsSync(directory + copy)) {
      next();
      return;
    }
    response.type(extension).set({ 'content-encoding': encoding, 'cache-control': FOR_GOOD });
    response.sendFile(copy, { root: directory, cacheControl: false });
  };
}

/**
 * Serves the dashboard's files, and its one page at each of its addresses; a browser that is led to another address gets the page too,
 * as 404, and there the page says so. Anything else is left to the next handler.
 */
export function dashboardRouter(directory: string = DASHBOARD_DIRECTORY): Router {
  const router = Router();
  const page: RequestHandler = (_request, response) => {
    response.set('cache-control', 'no-cache');
    if (existsSync(`${directory}index.html`)) response.sendFile('index.html', { root: directory });
    else response.status(503).type('html').send(NOT_BUILT);
  };
  for (const path of PAGES) router.get(path, page);
  // Browsers ask for it beside answers that are no page of ours, such as a problem shown as a document.
  router.get('/favicon.ico', (_request, response) => response.redirect(302, '/galley.svg'));
  router.use(compressedCopies(directory));
  router.use(
    express.static(directory, {
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      setHeaders: (response, file) => {
        const hashed = file.startsWith(`${directory}assets/`);
        response.setHeader('cache-control', hashed ? FOR_GOOD : 'no-cache');
      },
    }),
  );
  router.get('*path', (request, response, next) => {
    const [, first = ''] = request.path.split('/');
    if (FOR_PROGRAMS.has(first) || request.headers.accept?.includes('text/html') !== true) {
      next();
      return;
    }
    response.status(404);
    page(request, response, next);
  });
  return router;
}
