import { createHash, randomBytes } from 'node:crypto';
import { GalleyError } from '@galley/contract';
import type { Connection } from '@galley/core';
import { sessionKey } from '../redis/keys.ts';
import { LOCAL_OWNER, type Principal } from './principal.ts';
import { hashToken, type Tokens } from './tokens.ts';

/** Where the tokens are looked up, each time anew: they may change while the server runs. */
export interface CurrentTokens {
  /** Null: the server is on loopback and open to this machine's user. */
  readonly current: Tokens | null;
}

export const SESSION_COOKIE = 'galley_session';
export const SESSION_MS = 12 * 3_600_000;

/** The headers that say who is calling. */
export interface Credentials {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

export function cookieValue(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

function sessionId(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
}

/** Tells who sends a request, over HTTP and the socket alike. */
export class Authenticator {
  private readonly connection: Connection;
  private readonly source: CurrentTokens;

  constructor(connection: Connection, source: CurrentTokens) {
    this.connection = connection;
    this.source = source;
  }

  private get tokens(): Tokens | null {
    return this.source.current;
  }

  /**
   * Null where nothing was sent that says who it is, or the session has ended.
   * @throws GalleyError `unauthorized` for a token that is nobody's
   */
  async identify(credentials: Credentials): Promise<Principal | null> {
    if (this.tokens === null) return LOCAL_OWNER;
    const bearer = /^Bearer +(\S{1,512}) *$/i.exec(credentials.authorization ?? '')?.[1];
    if (bearer !== undefined) return this.ofToken(bearer);
    const cookie = cookieValue(credentials.cookie, SESSION_COOKIE);
    if (cookie === null) return null;
    const hash = await this.connection.client.get(sessionKey(sessionId(cookie)));
    return hash === null ? null : (this.tokens?.find(Buffer.from(hash, 'hex')) ?? null);
  }

  /** @throws GalleyError `unauthorized` */
  ofToken(token: string): Principal {
    const principal = this.tokens === null ? LOCAL_OWNER : this.tokens.find(hashToken(token));
    if (principal === null) throw new GalleyError('unauthorized', 'no such token is configured');
    return principal;
  }

  /** Opens a browser session for a token; answers the cookie's value. */
  async openSession(token: string): Promise<string> {
    const cookie = randomBytes(32).toString('base64url');
    await this.connection.client.set(sessionKey(sessionId(cookie)), hashToken(token).toString('hex'), 'PX', SESSION_MS);
    return cookie;
  }

  async closeSession(cookie: string): Promise<void> {
    await this.connection.client.del(sessionKey(sessionId(cookie)));
  }

  get isOpen(): boolean {
    return this.tokens === null;
  }
}
