import { randomUUID } from 'node:crypto';
import type { Connection } from '@galley/core';
import type { Lock, Locker, RequestRelease } from '@tus/utils';
import { uploadLockKey, uploadLockWantedKey } from '../redis/keys.ts';

/** A server that dies lets go after this. */
const LOCK_MS = 10_000;
const BEAT_MS = 500;
/** Past this the request before is taken to be stuck. */
const WAIT_MS = 15_000;

/**
 * Lets one request at a time write to an upload, whichever server it came to. A client whose line broke comes back while its first request
 * still hangs: that one is asked to let go.
 */
export class UploadLocker implements Locker {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  newLock(id: string): Lock {
    return new UploadLock(this.connection, id);
  }
}

class UploadLock implements Lock {
  private readonly connection: Connection;
  private readonly key: string;
  private readonly wantedKey: string;
  private readonly token = randomUUID();
  private beating: NodeJS.Timeout | null = null;

  constructor(connection: Connection, id: string) {
    this.connection = connection;
    this.key = uploadLockKey(id);
    this.wantedKey = uploadLockWantedKey(id);
  }

  async lock(signal: AbortSignal, release: RequestRelease): Promise<void> {
    const { client } = this.connection;
    const giveUpAt = performance.now() + WAIT_MS;
    while ((await client.set(this.key, this.token, 'PX', LOCK_MS, 'NX')) === null) {
      if (signal.aborted || performance.now() > giveUpAt)
        throw Object.assign(new Error('the upload is being written to by another request'), { status_code: 423, body: 'locked' });
      await client.set(this.wantedKey, this.token, 'PX', LOCK_MS);
      await pause(BEAT_MS / 2);
    }
    await client.del(this.wantedKey);
    this.beating = setInterval(() => {
      // A beat that Redis missed is made good by the next.
      this.beat(release).catch(() => undefined);
    }, BEAT_MS);
  }

  async unlock(): Promise<void> {
    if (this.beating !== null) clearInterval(this.beating);
    this.beating = null;
    if (await this.isOurs()) await this.connection.client.del(this.key);
  }

  private async beat(release: RequestRelease): Promise<void> {
    if (!(await this.isOurs()) || (await this.connection.client.exists(this.wantedKey)) === 1) await release();
    else await this.connection.client.pexpire(this.key, LOCK_MS);
  }

  private async isOurs(): Promise<boolean> {
    return (await this.connection.client.get(this.key)) === this.token;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
