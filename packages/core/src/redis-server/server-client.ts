import { Redis } from 'ioredis';

/** What a server says of itself. */
export interface ServerFacts {
  readonly pid: number;
  /** Its working directory: the one of its data. */
  readonly directory: string;
}

/**
 * Whether a server answers on the socket.
 * `loading` means that it lives and is still reading its data from disk.
 */
export type PingAnswer = 'ready' | 'loading' | 'absent';

/** Sends PING over a connection of its own. */
export async function ping(socketPath: string): Promise<PingAnswer> {
  return await withClient<PingAnswer>(
    socketPath,
    async (client) => {
      await client.ping();
      return 'ready';
    },
    (error) => (error.message.startsWith('LOADING') ? 'loading' : 'absent'),
  );
}

/** Asks a server which process and which directory it is; null when it does not answer. */
export async function readServerFacts(socketPath: string): Promise<ServerFacts | null> {
  return await withClient(
    socketPath,
    async (client) => {
      const info = await client.info('server');
      const pid = Number(/^process_id:(\d+)/m.exec(info)?.[1]);
      const answer: unknown = await client.config('GET', 'dir');
      const directory = configValue(answer, 'dir');
      return Number.isInteger(pid) && directory !== null ? { pid, directory } : null;
    },
    () => null,
  );
}

/** Sets `appendfsync` on a running server; false when it does not answer. */
export async function setAppendFsync(socketPath: string, value: string): Promise<boolean> {
  return await withClient(
    socketPath,
    async (client) => (await client.config('SET', 'appendfsync', value)) === 'OK',
    () => false,
  );
}

/** Asks a server to write what it holds and end. That it ended is for the caller to see: the answer is a closed connection. */
export async function requestShutdown(socketPath: string): Promise<void> {
  await withClient(
    socketPath,
    async (client) => {
      await client.shutdown();
    },
    () => undefined,
  );
}

async function withClient<Answer>(
  socketPath: string,
  use: (client: Redis) => Promise<Answer>,
  otherwise: (error: Error) => Answer,
): Promise<Answer> {
  const client = new Redis({
    path: socketPath,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    // When the server closed first, the client waits this long for a second close, and keeps the process alive meanwhile.
    disconnectTimeout: 20,
    commandTimeout: 5_000,
  });
  let connectionError: Error | undefined;
  client.on('error', (error: Error) => {
    connectionError = error;
  });
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    return otherwise(error instanceof Error ? error : (connectionError ?? new Error(String(error))));
  } finally {
    client.disconnect();
  }
}

/** CONFIG GET answers a flat list in RESP2 and a map in RESP3. */
function configValue(answer: unknown, name: string): string | null {
  if (Array.isArray(answer)) {
    const value: unknown = answer[answer.indexOf(name) + 1];
    return typeof value === 'string' ? value : null;
  }
  if (typeof answer !== 'object' || answer === null) return null;
  const value: unknown = Object.entries(answer).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : null;
}
