import { GalleyError, PRIORITY_MIN, ROLES, type Role } from '@galley/contract';

/** Who a request comes from. */
export interface Principal {
  readonly role: Role;
  /** Role `user` sees and submits only what is this user's. */
  readonly userId: string | null;
  /** False where no tokens are configured. */
  readonly authenticated: boolean;
  /** The best (lowest) priority number that may be asked for. */
  readonly bestPriority: number;
}

/** Everybody who can reach a server on loopback without tokens: this machine's user. */
export const LOCAL_OWNER: Principal = { role: 'admin', userId: null, authenticated: false, bestPriority: PRIORITY_MIN };

/** Whoever calls a route that is open to all. */
export const NOBODY: Principal = { role: 'viewer', userId: null, authenticated: false, bestPriority: PRIORITY_MIN };

/** @throws GalleyError `unauthorized` without a principal, `forbidden` where the role is less than needed */
export function requireRole(principal: Principal | null, role: Role): Principal {
  if (principal === null) throw new GalleyError('unauthorized', 'this needs a token and none was sent');
  if (ROLES.indexOf(principal.role) < ROLES.indexOf(role)) {
    throw new GalleyError('forbidden', `this needs the role ${role}, and the token has ${principal.role}`);
  }
  return principal;
}

/** The user whose tasks alone a principal may see; null where there is no such bound. */
export function boundToUser(principal: Principal): string | null {
  return principal.role === 'user' ? (principal.userId ?? '') : null;
}

/** @throws GalleyError `forbidden` where the priority is better than the token allows */
export function requirePriority(principal: Principal, priority: number): void {
  if (priority < principal.bestPriority) {
    throw new GalleyError('forbidden', `priority ${priority} is better than this token allows: its best is ${principal.bestPriority}`);
  }
}
