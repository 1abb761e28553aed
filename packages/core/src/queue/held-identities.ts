import type { Connection } from '../redis/connection.ts';
import { identityKey } from '../redis/keys.ts';
import type { ShardLayout } from './layout.ts';

interface Waiting {
  readonly shard: ShardLayout;
  readonly identity: string | undefined;
  readonly resolve: (held: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Says of submits whether a task has their identity already. Those asked for in the same tick are answered together and in their order,
 * also those without an identity, so that whoever goes on from here keeps the order of submission.
 */
export class HeldIdentities {
  private readonly connection: Connection;
  private waiting: Waiting[] = [];

  constructor(connection: Connection) {
    this.connection = connection;
  }

  has(shard: ShardLayout, identity: string | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => void this.flush());
      this.waiting.push({ shard, identity, resolve, reject });
    });
  }

  private async flush(): Promise<void> {
    const { waiting } = this;
    this.waiting = [];
    try {
      const held = await Promise.all(waiting.map((entry) => this.isHeld(entry)));
      waiting.forEach(({ resolve }, index) => resolve(held[index] === true));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  private async isHeld({ shard, identity }: Waiting): Promise<boolean> {
    return identity !== undefined && (await this.connection.client.hexists(identityKey(shard.keys.base, identity), identity)) === 1;
  }
}
