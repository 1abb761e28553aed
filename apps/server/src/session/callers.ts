import type { IncomingMessage } from 'node:http';
import type { RedisWatch } from '../redis/redis-watch.ts';
import type { Authenticator } from './authenticator.ts';
import type { Principal } from './principal.ts';

/** Who sends a request, told once for all who ask. */
export class Callers {
  private readonly authenticator: Authenticator;
  private readonly redis: RedisWatch;
  private readonly known = new WeakMap<IncomingMessage, Promise<Principal | null>>();

  constructor(authenticator: Authenticator, redis: RedisWatch) {
    this.authenticator = authenticator;
    this.redis = redis;
  }

  /** Null where nothing was sent that says who it is. @throws GalleyError `unauthorized`, or `redis_unavailable` for a session */
  of(request: IncomingMessage): Promise<Principal | null> {
    const known = this.known.get(request);
    if (known !== undefined) return known;
    const { authorization, cookie } = request.headers;
    const telling = this.redis.during(() => this.authenticator.identify({ authorization, cookie }));
    this.known.set(request, telling);
    return telling;
  }
}
