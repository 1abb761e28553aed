import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const INFO = '# Server\r\nredis_version:6.2.14\r\nloading:0\r\n';

/** Stands in for a Redis that is too old for Galley, which no machine has installed: it greets, and tells its version. */
export async function startOldRedis(socketPath: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text: string) => {
      // A command begins with "*<count>" and its name follows as the first bulk string.
      for (const [, name = ''] of text.matchAll(/\*\d+\r\n\$\d+\r\n([a-z]+)\r\n/gi)) {
        if (name.toLowerCase() === 'info') socket.write(`$${INFO.length}\r\n${INFO}\r\n`);
        else if (name.toLowerCase() === 'hello') socket.write('%1\r\n+version\r\n+6.2.14\r\n');
        else socket.write('+OK\r\n');
      }
    });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return server;
}
