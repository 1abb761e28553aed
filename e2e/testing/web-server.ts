import { createServer, type RequestListener } from 'node:http';

/** Somebody else's web server on this machine. */
export interface WebServer {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  close(): Promise<void>;
}

export async function serveWeb(answer: RequestListener): Promise<WebServer> {
  const server = createServer((request, response) => {
    // Browsers ask for it by themselves, and a missing one is an error in their console.
    if (request.url === '/favicon.ico') response.writeHead(204).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a numbered address');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
