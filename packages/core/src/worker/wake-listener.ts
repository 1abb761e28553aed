import type { Queue } from '../queue/queue.ts';
import { RATE_WORD } from '../queue/rate.ts';
import type { Connection, RedisClient } from '../redis/connection.ts';
import { controlChannel, wakeChannel } from '../redis/keys.ts';

/** A word to the holder of a run. */
export interface ControlWord {
  readonly word: 'cancel' | 'lost';
  readonly taskId: string;
  readonly fence: number;
}

/** Hears that a line's head has improved, and words to holders. ioredis subscribes again after a lost connection. */
export class WakeListener {
  private readonly subscriber: RedisClient;
  private readonly channels: string[];

  constructor(
    connection: Connection,
    queues: readonly Queue[],
    hear: {
      /** The head of this shard's line has improved to `score`. */
      improved: (shardBase: string, score: number) => void;
      /** Listening again, after whatever was said meanwhile. */
      back: () => void;
      control: (word: ControlWord) => void;
      /** A queue's rate was changed. */
      rate: () => void;
    },
  ) {
    const bases = queues.flatMap((queue) => queue.layout.shardList.map((shard) => shard.keys.base));
    const control = new Set(bases.map(controlChannel));
    const wakes = new Map(bases.map((base) => [wakeChannel(base), base]));
    this.channels = [...wakes.keys(), ...control];
    this.subscriber = connection.subscriber();
    this.subscriber.on('message', (channel: string, message: string) => {
      const woken = wakes.get(channel);
      if (woken !== undefined) {
        hear.improved(woken, Number(message));
        return;
      }
      const [word, taskId = '', fence = ''] = message.split(' ');
      if (word === RATE_WORD) hear.rate();
      if (word === 'cancel' || word === 'lost') hear.control({ word, taskId, fence: Number(fence) });
    });
    // Whatever was published while we were away was not heard: look again.
    this.subscriber.on('ready', () => hear.back());
  }

  async start(): Promise<void> {
    await this.subscriber.subscribe(...this.channels);
  }

  close(): void {
    this.subscriber.disconnect();
  }
}
