import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainFailure } from '../failure.mjs';

/** A server whose launcher was killed needs a moment to notice and to let go of its port. */
const WAIT_MS = 4_000;
const POLL_MS = 100;

/**
 * Makes sure that the server will get its port, so that a person hears of a busy one from us and at once.
 * @param {{ host: string, port: number }} address
 */
export async function ensurePortFree({ host, port }) {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const fault = await tryToListen(host, port);
    if (fault === null) return;
    if (fault !== 'EADDRINUSE')
      throw new PlainFailure(`${host}:${port} cannot be listened on (${fault}). Choose another with GALLEY_HOST and GALLEY_PORT.`);
    if (performance.now() > deadline) {
      throw new PlainFailure(
        `Port ${port} on ${host} is in use by another program. Stop it, or choose another: GALLEY_PORT=${port + 1} npm start`,
      );
    }
    await delay(POLL_MS);
  }
}

/** A port that is free now. For tests, which choose one before they start a stack. */
export async function findFreePort() {
  const server = net.createServer();
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a numbered address');
  return address.port;
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | null>} the system's code of the fault
 */
function tryToListen(host, port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve('code' in error && typeof error.code === 'string' ? error.code : error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
