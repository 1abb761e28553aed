import express from 'express';
import { Redis } from 'ioredis';

/**
 * What the figures are held against: an Express route that does one Redis command and answers a little JSON, with nothing of Galley.
 * Takes the path of Redis's socket; says its port on standard output.
 */
const redis = new Redis({ path: process.argv[2] ?? '' });
const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.post('/bare', express.json(), async (_request, response) => {
  response.status(202).json({ count: await redis.incr('bare') });
});
app.get('/bare', async (_request, response) => {
  response.json({ count: await redis.get('bare') });
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' && address !== null ? address.port : 0 })}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  redis.disconnect();
});
