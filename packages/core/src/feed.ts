import type { QueueLayout } from './queue/layout.ts';
import type { Connection, RedisClient } from './redis/connection.ts';
import { feedChannel, operationChannel } from './redis/keys.ts';

/** What a script says that it did, once a call (docs/library.md). */
export const FEED_VERBS = [
  'submitted',
  'claimed',
  'completed',
  'failed',
  'released',
  'fanned_out',
  'cancelled',
  'promoted',
  'reaped',
  'revived',
  'reprioritized',
  'purged',
  'repaired',
] as const;
export type FeedVerb = (typeof FEED_VERBS)[number];

/** One script's event: the verb and the tasks it moved; those whose parent moved with them name the parent too. */
export interface FeedEvent {
  readonly queue: string;
  readonly verb: FeedVerb;
  readonly taskIds: readonly string[];
}

/** Hears the events of queues and the progress of operations as they happen. Subscribes again by itself. */
export class Feed {
  private readonly subscriber: RedisClient;
  private readonly queues = new Map<string, string>();

  constructor(connection: Connection, listeners: { onEvent?: (event: FeedEvent) => void; onOperation?: (text: string) => void }) {
    this.subscriber = connection.subscriber();
    this.subscriber.on('message', (channel: string, message: string) => {
      if (channel === operationChannel) {
        listeners.onOperation?.(message);
        return;
      }
      const queue = this.queues.get(channel);
      const [word = '', ...taskIds] = message.split(' ');
      const verb = FEED_VERBS.find((known) => known === word);
      // A newer process may say words that this one does not know.
      if (queue !== undefined && verb !== undefined) listeners.onEvent?.({ queue, verb, taskIds });
    });
  }

  async followOperations(): Promise<void> {
    await this.subscriber.subscribe(operationChannel);
  }

  async follow(layout: QueueLayout): Promise<void> {
    const channels = layout.shardList.map((shard) => feedChannel(shard.keys.base));
    for (const channel of channels) this.queues.set(channel, layout.queue);
    await this.subscriber.subscribe(...channels);
  }

  close(): void {
    this.subscriber.disconnect();
  }
}
