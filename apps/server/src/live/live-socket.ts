import type { Server as HttpServer } from 'node:http';
import { GalleyError, LIVE_NAMESPACE, type LiveDeadLetters, type LiveOperation, type LiveTask, type QueueSnapshot } from '@galley/contract';
import { type Namespace, Server, type Socket } from 'socket.io';
import type { HostGuard } from '../http/hosts.ts';
import { problemOf, toGalleyError } from '../http/problem.ts';
import type { Services } from '../services.ts';
import type { Credentials } from '../session/authenticator.ts';
import { type Principal, requireRole } from '../session/principal.ts';

/** What the server sends; the contract's SERVER_EVENTS. */
export interface ServerToClient {
  snapshot: (snapshot: QueueSnapshot) => void;
  task: (task: LiveTask) => void;
  dead_letters: (dead: LiveDeadLetters) => void;
  operation: (operation: LiveOperation) => void;
}

/** What clients may send, unparsed; `answer` is called where a client gave one. */
export interface ClientToServer {
  watch: (message: unknown, answer?: unknown) => void;
  unwatch: (message: unknown, answer?: unknown) => void;
  follow: (message: unknown, answer?: unknown) => void;
}

export interface ClientFacts {
  principal: Principal;
  queue: string;
}

type NoEvents = Record<string, never>;
export type LiveNamespace = Namespace<ClientToServer, ServerToClient, NoEvents, ClientFacts>;
export type LiveClient = Socket<ClientToServer, ServerToClient, NoEvents, ClientFacts>;
export type LiveServer = Server<ClientToServer, ServerToClient, NoEvents, ClientFacts>;

/** No message of a client is longer. */
const MESSAGE_BYTES = 4_096;
/** What a browser that is away too long is taken off after. */
const PING_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 10_000;
/** A connection that has entered the namespace by then, or is closed. */
const CONNECT_TIMEOUT_MS = 10_000;

function bearerOf(client: LiveClient): string | undefined {
  const auth: unknown = client.handshake.auth;
  const token: unknown = typeof auth === 'object' && auth !== null ? Reflect.get(auth, 'token') : undefined;
  return typeof token === 'string' ? `Bearer ${token}` : client.handshake.headers.authorization;
}

function credentialsOf(client: LiveClient): Credentials {
  return { authorization: bearerOf(client), cookie: client.handshake.headers.cookie };
}

/** Takes off whoever may no longer listen, or is somebody else by now, after the tokens have changed. They may connect again. */
export async function dismissStrangers(live: LiveNamespace, { authenticator, redis, logger }: Services): Promise<void> {
  const check = async (client: LiveClient): Promise<void> => {
    const now = await redis.during(() => authenticator.identify(credentialsOf(client))).catch(() => null);
    const { role, userId } = client.data.principal;
    if (now === null || now.role !== role || now.userId !== userId) client.disconnect(true);
  };
  const clients = [...live.sockets.values()];
  await Promise.all(clients.map(check));
  const gone = clients.filter((client) => client.disconnected).length;
  if (gone > 0) logger.info({ gone }, 'live clients were taken off because their tokens changed');
}

/** Opens the socket server beside HTTP, behind the same checks of Host, Origin and session. */
export function openLiveSocket(http: HttpServer, services: Services, guard: HostGuard): { io: LiveServer; live: LiveNamespace } {
  const io: LiveServer = new Server(http, {
    serveClient: false,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: MESSAGE_BYTES,
    pingTimeout: PING_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    allowRequest: (request, decide) => {
      try {
        guard.check(request);
        decide(null, true);
      } catch (error) {
        decide(toGalleyError(error).message, false);
      }
    },
  });
  // Without a namespace a client comes here: it is told where to go, and has no place where nobody counts what it sends.
  io.use((client, next) => {
    const error = new GalleyError('not_found', `the live stream is in the namespace ${LIVE_NAMESPACE}: connect to that`);
    next(Object.assign(new Error(error.message), { data: problemOf(error, client.id).body }));
  });
  const live: LiveNamespace = io.of(LIVE_NAMESPACE);
  live.use((client, next) => {
    const identify = async (): Promise<Principal> => {
      const principal = await services.authenticator.identify(credentialsOf(client));
      return requireRole(principal, 'viewer');
    };
    const admit = async (): Promise<void> => {
      try {
        client.data.principal = await services.redis.during(identify);
      } catch (error) {
        const known = toGalleyError(error);
        next(Object.assign(new Error(known.message), { data: problemOf(known, client.id).body }));
        return;
      }
      next();
    };
    void admit();
  });
  return { io, live };
}
