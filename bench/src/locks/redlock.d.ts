/** Its own types are not among what it exports. */
declare module 'redlock' {
  export interface RedlockLock {
    release(): Promise<unknown>;
  }
  export default class Redlock {
    constructor(clients: Iterable<unknown>, settings?: { retryCount?: number });
    on(event: 'error', listener: (error: Error) => void): this;
    acquire(resources: string[], duration: number): Promise<RedlockLock>;
  }
}
