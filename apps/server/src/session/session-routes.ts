import { type Session, sessionRequestSchema } from '@galley/contract';
import { type Exchange, type Handler, parseBody, sendJson } from '../http/exchange.ts';
import type { Services } from '../services.ts';
import { cookieValue, SESSION_COOKIE, SESSION_MS } from './authenticator.ts';
import type { Principal } from './principal.ts';

function sessionAnswer(principal: Principal): Session {
  return { role: principal.role, user_id: principal.userId, authenticated: principal.authenticated };
}

function setCookie(exchange: Exchange, value: string, maxAgeMs: number): void {
  const secure = exchange.request.secure ? '; Secure' : '';
  exchange.response.append(
    'set-cookie',
    `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.floor(maxAgeMs / 1_000)}${secure}`,
  );
}

export function sessionRoutes({ authenticator }: Services) {
  return {
    getSession: async (exchange) => sendJson(exchange, sessionAnswer(exchange.principal)),
    openSession: async (exchange) => {
      const { token } = parseBody(exchange, sessionRequestSchema);
      const principal = authenticator.ofToken(token);
      if (!authenticator.isOpen) setCookie(exchange, await authenticator.openSession(token), SESSION_MS);
      sendJson(exchange, sessionAnswer(principal));
    },
    closeSession: async (exchange) => {
      const cookie = cookieValue(exchange.request.headers.cookie, SESSION_COOKIE);
      if (cookie !== null) await authenticator.closeSession(cookie);
      setCookie(exchange, '', 0);
      exchange.response.status(204).end();
    },
  } satisfies Record<string, Handler>;
}
